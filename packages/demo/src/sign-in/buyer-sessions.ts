import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Settings } from '@deal-sets/service';
import { DEMO_BUYER_ID, OTHER_BUYER_ID } from '../demo-world/demo-people.js';
import { BuyerSession } from '@deal-sets/service/entities';
import type { IncomingMessage } from 'node:http';
import { IsNull, MoreThan, type Repository } from 'typeorm';

/** A buyer of the demo world. */
export interface DemoBuyer {
  readonly id: string;
  readonly name: string;
}

/** The buyers that can be chosen on the sign-in page. */
export const DEMO_BUYERS: readonly DemoBuyer[] = [
  { id: DEMO_BUYER_ID, name: 'Anna Keller' },
  { id: OTHER_BUYER_ID, name: 'Bea Ortiz' },
];

/** Returns the first name of a buyer of the demo. */
export function firstNameOf(buyerId: string): string {
  const [firstName] = DEMO_BUYERS.find(({ id }) => id === buyerId)?.name.split(' ') ?? [];
  return firstName ?? 'The buyer';
}

const DAY_SECONDS = 86_400;

/** The demo website's sessions. They are in the service's store, so its API accepts the cookie. */
@Injectable()
export class BuyerSessions {
  constructor(
    @InjectRepository(BuyerSession) private readonly sessions: Repository<BuyerSession>,
    private readonly settings: Settings,
  ) {}

  /** Signs a buyer of the demo in for a day and returns the `Set-Cookie` header. */
  async signIn(buyer: DemoBuyer): Promise<string> {
    const value = randomBytes(32).toString('base64url');
    await this.sessions.insert({
      buyerId: buyer.id,
      id: randomUUID(),
      tokenSha256: sha256(value),
      expiresAt: new Date(Date.now() + DAY_SECONDS * 1000),
    });
    return this.#cookie(value, DAY_SECONDS);
  }

  /** Ends the session of the request and returns the `Set-Cookie` header. */
  async signOut(request: IncomingMessage): Promise<string> {
    const value = this.#valueOf(request);
    if (value !== undefined) {
      await this.sessions.update(
        { tokenSha256: sha256(value), revokedAt: IsNull() },
        { revokedAt: new Date() },
      );
    }
    return this.#cookie('', 0);
  }

  /** Returns the signed-in buyer; undefined if nobody, or no buyer of the demo, is signed in. */
  async buyerOf(request: IncomingMessage): Promise<DemoBuyer | undefined> {
    const value = this.#valueOf(request);
    if (value === undefined) return undefined;
    const session = await this.sessions.findOneBy({
      tokenSha256: sha256(value),
      revokedAt: IsNull(),
      expiresAt: MoreThan(new Date()),
    });
    return DEMO_BUYERS.find(({ id }) => id === session?.buyerId);
  }

  #valueOf({ headers }: IncomingMessage): string | undefined {
    const prefix = `${this.settings.sessionCookie}=`;
    const values = (headers.cookie ?? '')
      .split(';')
      // Strip only spaces: a name after U+00A0 is a different name.
      .map((pair) => pair.replace(/^ +/, ''))
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
    // If the cookie is sent twice, one of the two was planted. The service rejects this as well.
    return values.length === 1 && values[0] !== '' ? values[0] : undefined;
  }

  #cookie(value: string, maxAgeSeconds: number): string {
    return `${this.settings.sessionCookie}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Lax`;
  }
}

function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
