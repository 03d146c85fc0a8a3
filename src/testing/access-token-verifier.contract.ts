import assert from 'node:assert/strict';
import type {
  AccessToken,
  AccessTokenVerifier,
} from '../auth/access-token/access-token-verifier.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { hasCode, inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-part.js';
import { ANNA } from './principals.js';

/** How the suite obtains tokens. */
export interface AccessTokenVerifierFixture {
  /** The verifier under test. */
  readonly verifier: () => AccessTokenVerifier;
  /** A token that the issuer gave out, valid for some minutes. */
  readonly issue: (token: AccessToken) => Promise<string> | string;
  /** Tokens of the right form that must be refused, by what is wrong with them: expired, of another issuer, say. */
  readonly refused: Readonly<Record<string, () => Promise<string> | string>>;
  /**
   * The verifier on a dependency that hangs, such as token introspection; null for one that makes no call of
   * its own for a token.
   */
  readonly hung: HungFixture<AccessTokenVerifier>;
}

const GIVEN: AccessToken = { buyerId: ANNA, clientId: 'assistant-1', scopes: [READ_SCOPE] };
const NO_TOKENS = ['', 'x', 'null', '..', 'a.b.c', '\u0000', 'x'.repeat(10_000)];

/** What every verifier of access tokens must do. */
export function accessTokenVerifierContract(
  fixture: AccessTokenVerifierFixture,
): readonly ContractTest[] {
  const { verifier, issue, refused } = fixture;
  return [
    inTime('says of a good token what it holds, also the second time', async (deadline) => {
      const token = await issue({ ...GIVEN, scopes: [READ_SCOPE, 'requests:submit'] });
      for (let time = 0; time < 2; time += 1) {
        const { buyerId, clientId, scopes } = await verifier().verify(token, deadline);
        assert.deepEqual(
          { buyerId, clientId, scopes: [...scopes] },
          { ...GIVEN, scopes: [READ_SCOPE, 'requests:submit'] },
        );
      }
    }),

    inTime('refuses what is no token', async (deadline) => {
      for (const text of NO_TOKENS) {
        await refuses(() => verifier().verify(text, deadline), text);
      }
    }),

    inTime('refuses a token of which one character was changed', async (deadline) => {
      const token = await issue(GIVEN);
      await verifier().verify(token, deadline);
      // Not the last one: of it, some bits are padding.
      for (const at of [0, Math.floor(token.length / 2), token.length - 4]) {
        const other = token[at] === 'A' ? 'B' : 'A';
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        await refuses(() => verifier().verify(changed, deadline), changed);
      }
    }),

    ...Object.entries(refused).map(([which, make]) =>
      inTime(`refuses a token that is ${which}`, async (deadline) => {
        const token = await make();
        await refuses(() => verifier().verify(token, deadline), token);
      }),
    ),

    ...givesUpHungCalls(fixture.hung, async (hung, limit) =>
      hung.verify(await issue(GIVEN), limit),
    ),
  ];
}

/** The error is logged, so the token must not be in it. */
async function refuses(verify: () => Promise<AccessToken>, token: string): Promise<void> {
  await assert.rejects(
    async () => verify(),
    (error: unknown) => {
      assert.ok(
        hasCode('unauthenticated')(error),
        `not refused as unauthenticated: ${String(error)}`,
      );
      if (token.length > 16) assert.ok(!String(error).includes(token), 'the error holds the token');
      return true;
    },
  );
}
