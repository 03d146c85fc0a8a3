import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AssistantGrant } from 'deal-sets/entities';
import { IsNull, type Repository } from 'typeorm';
import { DEMO_DATABASE } from '../demo-database.module.js';

/** The database's clock, as the service compares by it. */
const NOW = (): string => 'clock_timestamp()';

export interface Approval {
  readonly buyerId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly isHosted: boolean;
}

/** The buyers' approvals of assistants, in the table that the service asks on every call. */
@Injectable()
export class Approvals {
  constructor(
    @InjectRepository(AssistantGrant, DEMO_DATABASE)
    private readonly grants: Repository<AssistantGrant>,
  ) {}

  /** Replaces an approval of the same assistant. */
  async approve({ buyerId, clientId, scopes, isHosted }: Approval): Promise<void> {
    await this.grants.manager.transaction(async (manager) => {
      const grants = manager.getRepository(AssistantGrant);
      await grants.update({ buyerId, clientId, revokedAt: IsNull() }, { revokedAt: NOW });
      await grants.insert({
        buyerId,
        id: randomUUID(),
        clientId,
        scopes: [...scopes],
        isHosted,
        grantedAt: NOW,
      });
    });
  }

  /** The live ones, the newest first. */
  liveOf(buyerId: string): Promise<AssistantGrant[]> {
    return this.grants.find({
      where: { buyerId, revokedAt: IsNull() },
      order: { grantedAt: 'DESC' },
    });
  }

  /** Ends an approval at once; returns the assistant that had it, undefined when there was none to end. */
  async revoke(buyerId: string, id: string): Promise<string | undefined> {
    const live = { buyerId, id, revokedAt: IsNull() };
    const grant = await this.grants.findOneBy(live);
    if (!grant) return undefined;
    await this.grants.update(live, { revokedAt: NOW });
    return grant.clientId;
  }
}
