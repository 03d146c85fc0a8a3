import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '@deal-sets/service';
import { READ_SCOPE } from '@deal-sets/service/standalone';
import type { AssistantGrant } from '@deal-sets/service/entities';
import { DEMO_CLIENTS } from '../demo-world/demo-people.js';
import { Approvals } from '../approval/approvals.js';
import {
  AuthorizationOptions,
  AuthorizationServer,
} from '../authorization/authorization-server.js';

/** The client id of the page's assistant. */
export const CLIENT_ID = DEMO_CLIENTS.approved;
const HOUR_SECONDS = 3_600;
/** The maximum number of authorization requests in progress. The oldest are dropped first. */
const MAX_PENDING = 100;

/** An access token from an authorization request of the page. */
interface HeldToken {
  readonly text: string;
  /** When the page received it, in epoch milliseconds. */
  readonly receivedAtMs: number;
}

interface Pending {
  readonly verifier: string;
  readonly buyerId: string;
}

/**
 * The assistant on the right of the page: an ordinary client of the authorization server. The
 * service checks the buyer's approval on each call of the assistant, whichever token it sends.
 */
@Injectable()
export class PageAssistant {
  readonly name = 'Road Helper';
  readonly #pending = new Map<string, Pending>();
  /** The access tokens by buyer id. */
  readonly #tokens = new Map<string, HeldToken>();
  readonly #publicUrl: string;
  readonly #localUrl: string;

  constructor(
    { publicUrl = '' }: Settings,
    private readonly server: AuthorizationServer,
    private readonly approvals: Approvals,
    { localUrl = publicUrl }: AuthorizationOptions,
  ) {
    this.#publicUrl = publicUrl;
    this.#localUrl = localUrl;
  }

  /** Returns an access token if the buyer's approval of the assistant is valid, otherwise null. */
  async tokenOf(buyerId: string): Promise<string | null> {
    const approval = await this.#approvalOf(buyerId);
    if (!approval) return null;
    const held = this.#tokens.get(buyerId);
    // The service rejects a token that is older than the approval.
    if (held && held.receivedAtMs >= approval.grantedAt.getTime()) return held.text;
    // For the approval that the demo world contains from the start, and for one that `Start over`
    // or a command recorded, no authorization request issued a token.
    return this.server.issueToken({
      buyerId,
      clientId: CLIENT_ID,
      scope: READ_SCOPE,
      ttlSeconds: HOUR_SECONDS,
    });
  }

  /** Returns whether the buyer approved the assistant and then revoked every approval of it. */
  isRevoked(buyerId: string): Promise<boolean> {
    return this.approvals.isRevoked(buyerId, CLIENT_ID);
  }

  /**
   * Revokes the buyer's approval of the assistant.
   *
   * @returns false if there is none.
   */
  async revoke(buyerId: string): Promise<boolean> {
    this.#tokens.delete(buyerId);
    const approval = await this.#approvalOf(buyerId);
    if (approval) await this.approvals.revoke(buyerId, approval.id);
    return approval !== undefined;
  }

  /**
   * Begins an authorization request (RFC 6749, with PKCE).
   *
   * @returns the address to which the browser is redirected.
   */
  authorize(buyerId: string): string {
    const state = randomBytes(16).toString('base64url');
    const verifier = randomBytes(32).toString('base64url');
    this.#pending.set(state, { verifier, buyerId });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: this.#redirectUri,
      scope: READ_SCOPE,
      resource: this.#publicUrl,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return `/oauth/authorize?${query.toString()}`;
  }

  /**
   * Finishes an authorization request by exchanging its code for an access token. Does nothing if
   * no pending request of this buyer has this state.
   */
  async finish(buyerId: string | undefined, state: string, code: string): Promise<void> {
    const pending = this.#pending.get(state);
    this.#pending.delete(state);
    if (!pending || pending.buyerId !== buyerId || code === '') return;
    const response = await fetch(`${this.#localUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: CLIENT_ID,
        redirect_uri: this.#redirectUri,
        code,
        code_verifier: pending.verifier,
      }),
    });
    if (!response.ok) return;
    const { access_token: token } = (await response.json()) as { access_token: string };
    this.#tokens.set(buyerId, { text: token, receivedAtMs: Date.now() });
    setTimeout(() => this.#forget(buyerId, token), (HOUR_SECONDS - 60) * 1000).unref();
  }

  #forget(buyerId: string, token: string): void {
    if (this.#tokens.get(buyerId)?.text === token) this.#tokens.delete(buyerId);
  }

  get #redirectUri(): string {
    return `${this.#publicUrl}/callback`;
  }

  async #approvalOf(
    buyerId: string,
  ): Promise<Pick<AssistantGrant, 'id' | 'grantedAt'> | undefined> {
    const live = await this.approvals.liveOf(buyerId);
    return live.find(({ clientId }) => clientId === CLIENT_ID);
  }
}
