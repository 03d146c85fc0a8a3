import { ApprovedAssistants } from './approved-assistants.js';
import { GrantStore, type StoredGrant } from './grant-store.js';

/** Returns a time in milliseconds after the issue of the token. */
const at = (ms: number): Date => new Date(Date.parse('2026-05-01T00:00:00Z') + ms);
const GRANT: StoredGrant = { scopes: ['offers:read'], isHosted: false, changesGranted: false };
const NO_TIME = new Date(NaN);

/** Signs in against a store that returns one grant, and returns the rejection reason. */
async function reasonFor(grant: object | null, issuedAt: Date | undefined): Promise<unknown> {
  class Grants extends GrantStore {
    override find(): Promise<StoredGrant | null> {
      return Promise.resolve(grant && { ...GRANT, ...grant });
    }
  }
  const credential = { buyerId: 'buyer', clientId: 'assistant-1', scopes: [], issuedAt };
  const found = new ApprovedAssistants(new Grants()).findPrincipal(
    credential,
    new AbortController().signal,
  );
  return found.then(
    () => 'accepted',
    (error: unknown) => (error as { rejectionReason?: unknown }).rejectionReason,
  );
}

const ISSUED = at(0);

describe('the approval of an assistant', () => {
  it.each<[expected: string, what: string, grant: object | null, issuedAt: Date | undefined]>([
    ['no_grant', 'that does not exist', null, ISSUED],
    ['accepted', '30 s after the token', { grantedAt: at(30_000) }, ISSUED],
    ['older_than_grant', 'more than 30 s after the token', { grantedAt: at(30_001) }, ISSUED],
    ['accepted', 'before the token', { grantedAt: at(-60_000) }, ISSUED],
    ['accepted', 'of a store without the time of the approval', {}, ISSUED],
    ['accepted', 'of a store whose time is null', { grantedAt: null }, ISSUED],
    ['accepted', 'after a token without a time', { grantedAt: at(60_000) }, undefined],
    ['older_than_grant', 'at a time that is not valid', { grantedAt: NO_TIME }, ISSUED],
    ['older_than_grant', 'after a time that is not valid', { grantedAt: at(0) }, NO_TIME],
    ['accepted', 'without an end', { expiresAt: null }, ISSUED],
    ['accepted', 'with an end ahead', { expiresAt: new Date(Date.now() + 3_600_000) }, ISSUED],
    ['grant_expired', 'that has ended', { expiresAt: new Date(Date.now() - 1) }, undefined],
    ['grant_expired', 'with an end that is not valid', { expiresAt: NO_TIME }, ISSUED],
    [
      'grant_expired',
      'that has ended, after an older token',
      { grantedAt: at(60_000), expiresAt: at(60_001) },
      ISSUED,
    ],
  ])('results in %s: %s', async (expected, _what, grant, issuedAt) => {
    expect(await reasonFor(grant, issuedAt)).toBe(expected);
  });
});
