import { Injectable } from '@nestjs/common';
import { AuthorizationServer } from '../authorization/authorization-server.js';
import { Approvals, type Approval } from './approvals.js';

/** What a buyer approved: for the service, and for the authorization server. */
export interface ApprovedGrant extends Approval {
  /** Scopes that were asked for, separated by blanks. */
  readonly scope: string;
  readonly resources: readonly string[];
}

/**
 * Keeps the two records of an approval together. The service's decides about every call; the authorization
 * server's about its refresh tokens.
 */
@Injectable()
export class ApprovedGrants {
  readonly #grantIds = new Map<string, string>();

  constructor(
    private readonly server: AuthorizationServer,
    private readonly approvals: Approvals,
  ) {}

  /** @returns the authorization server's grant. */
  async save({ scope, resources, ...approval }: ApprovedGrant): Promise<string> {
    const { buyerId: accountId, clientId } = approval;
    const grant = new this.server.provider.Grant({ accountId, clientId });
    grant.addOIDCScope(scope);
    for (const resource of resources) grant.addResourceScope(resource, approval.scopes.join(' '));
    const grantId = await grant.save();
    await this.#end(accountId, clientId);
    await this.approvals.approve(approval);
    this.#grantIds.set(`${accountId} ${clientId}`, grantId);
    return grantId;
  }

  /** Ends an approval: the next call with its tokens is refused, and so is a refresh. */
  async revoke(buyerId: string, id: string): Promise<void> {
    const clientId = await this.approvals.revoke(buyerId, id);
    if (clientId !== undefined) await this.#end(buyerId, clientId);
  }

  async #end(buyerId: string, clientId: string): Promise<void> {
    const key = `${buyerId} ${clientId}`;
    const grantId = this.#grantIds.get(key);
    if (grantId === undefined) return;
    this.#grantIds.delete(key);
    await this.server.provider.Grant.adapter.destroy(grantId);
  }
}
