import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { READ_SCOPE } from '@deal-sets/service/standalone';
import { AssistantGrant } from '@deal-sets/service/entities';
import {
  approvalsOf,
  approve,
  isLiveApproval,
  revokeApproval,
} from '@deal-sets/service/operations';
import { IsNull, type Repository } from 'typeorm';
import { AuthorizationServer } from '../authorization/authorization-server.js';

/** A buyer's approval of an assistant. */
export interface Approval {
  readonly buyerId: string;
  readonly clientId: string;
  readonly isHosted: boolean;
  /** The requested scopes, separated by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
}

/**
 * The buyers' approvals of assistants. An approval is stored twice: the service checks its own
 * grant on every call, and the authorization server checks its grant when a token is refreshed.
 */
@Injectable()
export class Approvals {
  readonly #grantIds = new Map<string, string>();

  constructor(
    private readonly server: AuthorizationServer,
    @InjectRepository(AssistantGrant) private readonly grants: Repository<AssistantGrant>,
  ) {}

  /**
   * Stores an approval, which replaces an earlier approval of the same assistant.
   *
   * @returns the id of the authorization server's grant.
   */
  async approve(approval: Approval): Promise<string> {
    const { buyerId, clientId, isHosted, scope, resources } = approval;
    const grant = new this.server.provider.Grant({ accountId: buyerId, clientId });
    grant.addOIDCScope(scope);
    for (const resource of resources) grant.addResourceScope(resource, READ_SCOPE);
    const grantId = await grant.save();
    await this.#end(buyerId, clientId);
    await approve(this.grants.manager, { buyerId, clientId, scopes: [READ_SCOPE], isHosted });
    this.#grantIds.set(`${buyerId} ${clientId}`, grantId);
    return grantId;
  }

  /** Returns a buyer's approvals that are neither revoked nor expired, newest first. */
  async liveOf(buyerId: string): Promise<AssistantGrant[]> {
    const approvals = await approvalsOf(this.grants.manager, buyerId);
    return approvals.filter(isLiveApproval);
  }

  /**
   * Returns whether the buyer once approved the assistant and every approval of it was since
   * revoked or has expired.
   */
  async isRevoked(buyerId: string, clientId: string): Promise<boolean> {
    const approvals = await approvalsOf(this.grants.manager, buyerId);
    const ofClient = approvals.filter((approval) => approval.clientId === clientId);
    return ofClient.length > 0 && !ofClient.some(isLiveApproval);
  }

  /**
   * Ends an approval: later calls and refreshes with its tokens are rejected. Does nothing if the
   * buyer has no such approval.
   */
  async revoke(buyerId: string, id: string): Promise<void> {
    const grant = await this.grants.findOneBy({ buyerId, id, revokedAt: IsNull() });
    if (!grant) return;
    await revokeApproval(this.grants.manager, grant);
    await this.#end(buyerId, grant.clientId);
  }

  async #end(buyerId: string, clientId: string): Promise<void> {
    const key = `${buyerId} ${clientId}`;
    const grantId = this.#grantIds.get(key);
    if (grantId === undefined) return;
    this.#grantIds.delete(key);
    await this.server.provider.Grant.adapter.destroy(grantId);
  }
}
