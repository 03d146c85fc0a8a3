import {
  buyer,
  dealership,
  dealSet,
  grant,
  load,
  priceCheck,
  signIn,
} from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { KeyServer } from './key-server.js';
import {
  AUDIENCE,
  ISSUER,
  makeKey,
  makeToken,
  type IssuerKey,
  type TokenChoices,
} from './test-issuer.js';

/** A buyer with a session, an approved assistant and one deal set; an issuer; a database that knows them. */
export interface SignInWorld {
  readonly database: TestDatabase;
  readonly keyServer: KeyServer;
  readonly key: IssuerKey;
  readonly buyerId: string;
  /** Value of a live session's cookie. */
  readonly cookie: string;
  /** Path of the buyer's deal set. */
  readonly getPath: string;
  /** Settings of a service in this world. */
  readonly env: NodeJS.ProcessEnv;
  token(choices?: TokenChoices): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = 'assistant-1';

export async function createWorld(): Promise<SignInWorld> {
  const [database, keyServer] = await Promise.all([createTestDatabase(), KeyServer.start()]);
  const key = makeKey('key-1');
  keyServer.publish(key.jwk);
  const anna = buyer();
  const set = dealSet({ buyerId: anna.id });
  const seller = dealership();
  const row = priceCheck({ buyerId: anna.id, dealSetId: set.id, dealershipId: seller.id });
  const session = signIn(anna.id);
  const approval = grant({ buyerId: anna.id, clientId: CLIENT });
  await load(database, [anna, set, seller, row, session.record, approval]);
  return {
    database,
    keyServer,
    key,
    buyerId: anna.id,
    cookie: session.cookie,
    getPath: `/api/v1/deal-sets/${set.id}`,
    env: {
      DATABASE_URL: database.url,
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: AUDIENCE,
      AUTH_JWKS_URL: keyServer.url,
    },
    token: (choices) => makeToken(key, anna.id, choices),
    async close() {
      await keyServer.close();
      await database.drop();
    },
  };
}
