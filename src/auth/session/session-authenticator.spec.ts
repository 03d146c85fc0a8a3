import 'reflect-metadata';
import type { Settings } from '../../config/settings.js';
import { SessionAuthenticator } from './session-authenticator.js';
import type { SessionStore, StoredSession } from './session-store.js';

const PAST = new Date('2026-01-01T00:00:00Z');
const FUTURE = new Date('2999-01-01T00:00:00Z');

describe('SessionAuthenticator', () => {
  it.each<[reason: string, session: Partial<StoredSession> | null]>([
    ['no_session', null],
    ['expired', { expiresAt: PAST, revokedAt: null }],
    ['expired', { revokedAt: null }],
    ['revoked', { expiresAt: FUTURE, revokedAt: PAST }],
    ['revoked', { expiresAt: PAST, revokedAt: PAST }],
    ['revoked', { expiresAt: FUTURE }],
  ])('rejects a session with the reason %s: %j', async (rejectionReason, session) => {
    const store = { find: () => Promise.resolve(session) } as unknown as SessionStore;
    const settings = { sessionCookie: 'sid' } as Settings;
    const signal = new AbortController().signal;
    const headers = { cookie: [`sid=${'x'.repeat(43)}`] };
    const request = { headers, signal, resource: undefined } as never;
    await expect(
      new SessionAuthenticator(settings, store).authenticate(request),
    ).rejects.toMatchObject({ code: 'unauthenticated', rejectionReason });
  });
});
