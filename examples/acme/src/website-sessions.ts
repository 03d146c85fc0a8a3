import { SessionStore, type StoredSession } from '@deal-sets/service';

/** Looks up a session of the website by sending the buyer's cookie to the session service. */
export class WebsiteSessions extends SessionStore {
  constructor(private readonly baseUrl: string) {
    super();
  }

  async find(cookieValue: string, signal: AbortSignal): Promise<StoredSession | null> {
    const response = await fetch(`${this.baseUrl}/session`, {
      headers: { cookie: `session=${cookieValue}` },
      signal,
    });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the session service responded with ${response.status}`);
    const { buyerId, expiresAt } = (await response.json()) as Record<string, string>;
    return { buyerId, expiresAt: new Date(expiresAt), revokedAt: null };
  }
}
