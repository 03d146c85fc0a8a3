import { SessionStore, type Deadline, type StoredSession } from 'deal-sets';

/** The website's own sessions, asked for over HTTP. */
export class WebsiteSessions extends SessionStore {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    super();
    this.#baseUrl = baseUrl;
  }

  async find(tokenSha256: Buffer, { signal }: Deadline): Promise<StoredSession | null> {
    const url = `${this.#baseUrl}/sessions/${tokenSha256.toString('hex')}`;
    const response = await fetch(url, { signal });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the session service answered ${response.status}`);
    const { buyerId, expiresAt } = (await response.json()) as Record<string, string>;
    return { buyerId, expiresAt: new Date(expiresAt), revokedAt: null };
  }
}
