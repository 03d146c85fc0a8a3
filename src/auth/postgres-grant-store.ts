import { Injectable } from '@nestjs/common';
import type { Statement } from '../database/cancellable-query-runner.js';
import { ReadDatabase } from '../database/read-database.js';
import { GrantStore, type StoredGrant } from './grant-store.js';

/**
 * Finds the current grant. The query uses the unique index `assistant_grant_live`, which also
 * ensures that there is at most one row.
 */
const FIND_GRANT: Statement<StoredGrant> = {
  name: 'find_grant',
  text: `
    SELECT g.scopes, g.is_hosted AS "isHosted", b.changes_granted AS "changesGranted"
    FROM assistant_grant g
    JOIN buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL`,
};

/** The default `GrantStore`: approvals in the service's own PostgreSQL. */
@Injectable()
export class PostgresGrantStore extends GrantStore {
  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override async find(
    buyerId: string,
    clientId: string,
    signal: AbortSignal,
  ): Promise<StoredGrant | null> {
    const { signIn } = this.database;
    const [grant] = await signIn.query(FIND_GRANT, [buyerId, clientId], signal);
    return grant ?? null;
  }
}
