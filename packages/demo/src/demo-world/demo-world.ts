import { createHash } from 'node:crypto';
import type { ImportRecord } from '@deal-sets/service/operations';
import { READ_SCOPE } from '@deal-sets/service/standalone';
import { addEndedSet, addInProgressSet, addReadySet } from './demo-deal-sets.js';
import { DEMO_DEALERSHIP_RECORDS, DEMO_DEALERSHIPS as AT } from './demo-dealerships.js';
import {
  DEMO_BUYER_ID,
  DEMO_CLIENTS,
  DEMO_SETS,
  demoId,
  OTHER_BUYER_ID,
  OTHER_SCOPE,
} from './demo-people.js';
import { DemoRecords } from './demo-records.js';

const SESSION_HOURS = 24;

/**
 * Returns a small world that shows every state of a request, for two buyers and four assistants.
 * Its times count back from `nowMs`, so that it looks recent. Load it as history (a backfill).
 *
 * @param nowMs the time of loading in epoch milliseconds.
 * @param cookieValue the value of the session cookie that signs the demo buyer in for a day.
 */
export function demoWorld(nowMs: number, cookieValue: string): ImportRecord[] {
  const demo = new DemoRecords(nowMs);
  for (const record of DEMO_DEALERSHIP_RECORDS) demo.add(record);
  addPeople(demo, cookieValue);
  addReadySet(demo);
  addInProgressSet(demo);
  addEndedSet(demo);
  addSingles(demo);
  addOthersSet(demo);
  return demo.records;
}

/**
 * Returns the id of a cookie's session. It is derived from the cookie, so that two demos on one
 * database do not replace each other's session.
 */
function sessionId(tokenSha256: string): string {
  return `ce000000-0000-4000-8000-${tokenSha256.slice(0, 12)}`;
}

function addPeople(demo: DemoRecords, cookieValue: string): void {
  demo.add({ record: 'buyer', id: DEMO_BUYER_ID, changesGranted: true });
  demo.add({ record: 'buyer', id: OTHER_BUYER_ID });
  const tokenSha256 = createHash('sha256').update(cookieValue).digest('hex');
  demo.add({
    record: 'session',
    id: sessionId(tokenSha256),
    buyerId: DEMO_BUYER_ID,
    tokenSha256,
    expiresAt: demo.ago(-SESSION_HOURS),
  });
  const grant = (number: number, clientId: string, more: object = {}): void =>
    demo.add({
      record: 'grant',
      id: demoId('9a', number),
      buyerId: DEMO_BUYER_ID,
      clientId,
      scopes: [READ_SCOPE],
      grantedAt: demo.ago(1_000),
      ...more,
    });
  grant(1, DEMO_CLIENTS.approved);
  grant(2, DEMO_CLIENTS.hosted, { hosted: true });
  grant(3, DEMO_CLIENTS.revoked, { revokedAt: demo.ago(200) });
  grant(4, DEMO_CLIENTS.withoutScope, { scopes: [OTHER_SCOPE] });
}

/**
 * Adds four requests to one dealership: one with an offer, one with an open question, one that
 * ended without a written price, and one that is archived.
 */
function addSingles(demo: DemoRecords): void {
  const offer = demo.ask({
    dealershipId: AT.hamilton,
    listing: { year: 2025, make: 'Honda', model: 'Accord', trim: 'Touring Hybrid' },
    distanceMiles: 23.4,
    requestedAt: demo.ago(70),
    ...demo.written(41_260, 38_300, 48),
    unlockedAt: demo.ago(46),
    latestActivityAt: demo.ago(46),
  });
  demo.replies(offer, 1);
  const asking = demo.ask({
    dealershipId: AT.bexley,
    listing: { year: 2024, make: 'Honda', model: 'Pilot', trim: 'TrailSport' },
    distanceMiles: 8.2,
    requestedAt: demo.ago(20),
    latestActivityAt: demo.ago(6),
  });
  demo.question(asking, {
    category: 'financing',
    text: 'Bexley Honda has a bank of its own. Will you finance with us, or pay cash?',
    textWhileHidden: 'Will you finance with us, or pay cash?',
    answerMode: 'choice',
    askedAt: demo.ago(6),
  });
  demo.replies(asking, 1);
  demo.ask({
    dealershipId: AT.stadler,
    listing: { year: 2025, make: 'Jeep', model: 'Wrangler', trim: 'Willys' },
    requestedAt: demo.ago(500),
    answer: 'same_car',
    price: { otdCents: 4_420_000 },
    ended: 'timed_out',
    endedAt: demo.ago(300),
    latestActivityAt: demo.ago(300),
  });
  demo.ask({
    dealershipId: AT.okafor,
    listing: { year: 2025, make: 'Toyota', model: 'Camry', trim: 'XSE' },
    requestedAt: demo.ago(400),
    ...demo.written(36_900, 34_100, 390),
    archivedAt: demo.ago(250),
    latestActivityAt: demo.ago(250),
  });
}

function addOthersSet(demo: DemoRecords): void {
  const row = {
    buyerId: OTHER_BUYER_ID,
    dealSetId: DEMO_SETS.others,
    requestedAt: demo.ago(60),
  };
  demo.add({
    record: 'dealSet',
    id: DEMO_SETS.others,
    buyerId: OTHER_BUYER_ID,
    car: { year: 2026, make: 'Subaru', model: 'Outback' },
    buyerZip: '45402',
    createdAt: row.requestedAt,
    latestActivityAt: demo.ago(50),
  });
  demo.ask({
    ...row,
    dealershipId: AT.carrow,
    listing: { year: 2026, make: 'Subaru', model: 'Outback', trim: 'Wilderness' },
    distanceMiles: 5,
    ...demo.written(43_700, 40_900, 50),
  });
}
