import { AssistantGrant } from './assistant-grant.entity.js';
import { Buyer } from './buyer.entity.js';
import { BuyerSession } from './buyer-session.entity.js';
import { DealSet } from './deal-set.entity.js';
import { Dealership } from './dealership.entity.js';
import { Draft } from './draft.entity.js';
import { PriceCheck } from './price-check.entity.js';
import { Question } from './question.entity.js';
import { Reply } from './reply.entity.js';

export {
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  Dealership,
  Draft,
  PriceCheck,
  Question,
  Reply,
};

/** The records of the service as TypeORM knows them. The migrations make the tables; a test holds both together. */
export const ENTITIES = [
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  Dealership,
  Draft,
  PriceCheck,
  Question,
  Reply,
];
