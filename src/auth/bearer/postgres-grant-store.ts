import { Injectable } from '@nestjs/common';
import type { Statement } from '../../database/cancellable-reader.js';
import { ReadDatabase } from '../../database/read-database.js';
import { GrantStore, type StoredGrant } from './grant-store.js';

/**
 * Finds the current grant, which may have expired. The query uses the unique index
 * `assistant_grant_live`, which also ensures that there is at most one row.
 */
const FIND_GRANT: Statement<GrantRow> = {
  name: 'find_grant',
  text: `
    SELECT g.scopes, g.is_hosted AS "isHosted", b.changes_granted AS "changesGranted",
      g.granted_at AS "grantedAt", g.expires_at AS "expiresAt"
    FROM deal_sets.assistant_grant g
    JOIN deal_sets.buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL`,
};

/** A row of `FIND_GRANT`; times are ISO 8601 texts. */
interface GrantRow extends Omit<StoredGrant, 'grantedAt' | 'expiresAt'> {
  readonly grantedAt: string;
  /** Null if the grant does not end by itself. */
  readonly expiresAt: string | null;
}

/** The default `GrantStore`: approvals in the service's own PostgreSQL. */
@Injectable()
export class PostgresGrantStore extends GrantStore {
  /** @internal */
  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override async find(
    buyerId: string,
    clientId: string,
    signal: AbortSignal,
  ): Promise<StoredGrant | null> {
    const { signIn } = this.database;
    const [row] = await signIn.query(FIND_GRANT, [buyerId, clientId], signal);
    if (!row) return null;
    const expiresAt = row.expiresAt === null ? null : new Date(row.expiresAt);
    return { ...row, grantedAt: new Date(row.grantedAt), expiresAt };
  }
}
