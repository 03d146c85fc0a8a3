/**
 * The service's tables as TypeORM entities, for a team's own data sources, reports and relations. The
 * migrations alone make and change the tables: never synchronise them from these classes.
 */
export { AssistantGrant } from './database/entities/assistant-grant.entity.js';
export { BuyerSession } from './database/entities/buyer-session.entity.js';
export { Buyer } from './database/entities/buyer.entity.js';
export { DealSet } from './database/entities/deal-set.entity.js';
export { Dealership } from './database/entities/dealership.entity.js';
export { Draft } from './database/entities/draft.entity.js';
export { ENTITIES } from './database/entities/entities.js';
export { PriceCheck } from './database/entities/price-check.entity.js';
export { Question } from './database/entities/question.entity.js';
export { Reply } from './database/entities/reply.entity.js';
