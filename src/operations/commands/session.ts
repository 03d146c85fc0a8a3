import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Buyer, BuyerSession } from '../../database/entities.js';
import { retryConflicts } from '../../database/retry-conflicts.js';
import { writeAuditLine } from './audit.js';
import { printResult, unknownBuyer, withDatabase } from './command-line.js';

/**
 * `deal-sets session`: creates a website session and prints its cookie.
 *
 * @param options `ttl` in seconds.
 * @throws {CommandError} for an unknown buyer.
 */
export async function runSession({ buyer, ttl }: { buyer: string; ttl: number }): Promise<void> {
  await withDatabase(async (dataSource, settings) => {
    const value = randomBytes(32).toString('base64url');
    await retryConflicts(() =>
      dataSource.transaction(async (manager) => {
        // The lock prevents a concurrent erasure of the buyer.
        const lock = { mode: 'for_key_share' } as const;
        const owner = await manager.getRepository(Buyer).findOne({ where: { id: buyer }, lock });
        if (!owner) throw unknownBuyer(buyer);
        await manager.getRepository(BuyerSession).insert({
          buyerId: buyer,
          id: randomUUID(),
          tokenSha256: createHash('sha256').update(value).digest(),
          // Uses the database's clock. `ttl` is a whole number, so it is safe in the statement's
          // text.
          expiresAt: () => `statement_timestamp() + ${ttl} * interval '1 second'`,
        });
      }),
    );
    writeAuditLine(settings, { action: 'session', buyer });
    printResult(`Cookie: ${settings.sessionCookie}=${value}`);
  });
}
