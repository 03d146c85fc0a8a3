import { DEMO_DEALERSHIPS as AT } from './demo-dealerships.js';
import { DEMO_BUYER_ID, DEMO_SETS } from './demo-people.js';
import { carsOf, type DemoRecords } from './demo-records.js';

/**
 * Adds a deal set in which every dealership has answered: two trims have prices in writing, one
 * dealership is chosen and one unlocked.
 */
export function addReadySet(demo: DemoRecords): void {
  const dealSetId = DEMO_SETS.ready;
  const requestedAt = demo.ago(96);
  demo.add({
    record: 'dealSet',
    id: dealSetId,
    buyerId: DEMO_BUYER_ID,
    car: {
      year: 2026,
      make: 'Honda',
      model: 'CR-V',
      trim: 'EX-L',
      exteriorColor: 'Canyon River Blue',
      interiorColor: 'Gray',
      drivetrain: 'AWD',
      powertrain: 'Gasoline',
    },
    buyerZip: '45202',
    radiusMiles: 100,
    dealersFound: 14,
    createdAt: requestedAt,
    latestActivityAt: demo.ago(3),
  });
  const crv = carsOf(2026, 'Honda', 'CR-V');
  const row = { dealSetId, requestedAt };

  const cheapest = demo.ask({
    ...row,
    dealershipId: AT.hamilton,
    listing: crv('EX-L', 'Canyon River Blue', 12, 38_950),
    distanceMiles: 23.4,
    ...demo.written(39_870, 36_450, 30),
  });
  demo.replies(cheapest, 2);

  const unlocked = demo.ask({
    ...row,
    dealershipId: AT.bexley,
    // Some dealerships put their name into the trim. The service then shows neither the trim nor the
    // model and the color.
    listing: crv('EX-L at Bexley Honda', 'Platinum White Pearl', 8, 39_400),
    distanceMiles: 8.2,
    ...demo.written(40_215, 36_900, 27),
    unlockedAt: demo.ago(20),
  });
  demo.question(unlocked, {
    promptId: 'prompt-delivery',
    category: 'delivery',
    text: 'Bexley Honda can bring the car to you on Friday. Would you like that?',
    answerMode: 'yes_no',
    otdCents: 4_021_500,
    askedAt: demo.ago(5),
  });
  demo.replies(unlocked, 2);

  const chosen = demo.ask({
    ...row,
    dealershipId: AT.lakeside,
    listing: crv('Sport-L Hybrid', 'Meteorite Gray', 15, 41_200),
    distanceMiles: 41.7,
    ...demo.written(42_480, 39_050, 26),
    unlockedAt: demo.ago(18),
    chosenAt: demo.ago(3),
  });
  demo.replies(chosen, 1);

  const secondHybrid = demo.ask({
    ...row,
    dealershipId: AT.carrow,
    listing: crv('Sport-L Hybrid', 'Crystal Black Pearl', 4_310, 40_500),
    distanceMiles: 88,
    ...demo.written(42_950, 39_700, 22),
  });
  demo.draft(
    secondHybrid,
    'Thank you for the price. The car has 4,310 miles: is it a demonstrator, and is the full warranty left on it?',
    4,
  );
  demo.replies(secondHybrid, 1);

  demo.ask({
    ...row,
    dealershipId: AT.riverbend,
    listing: crv('EX-L', 'Radiant Red', 6, 39_100),
    distanceMiles: 64.1,
    ...demo.written(40_100, 36_800, 60),
    ended: 'sold',
    endedAt: demo.ago(12),
  });
  const differentCar = demo.ask({
    ...row,
    dealershipId: AT.crossroads,
    listing: crv('LX', 'Lunar Silver Metallic', null, 33_900),
    distanceMiles: 51,
    answer: 'different_car',
    price: { otdCents: 3_540_000, writtenAt: demo.ago(33) },
    finishedAt: demo.ago(33),
  });
  demo.replies(differentCar, 1);
  demo.ask({
    ...row,
    dealershipId: AT.stadler,
    listing: crv('EX-L', 'Urban Gray Pearl', 21_400),
    distanceMiles: 112,
    ...demo.written(38_990, 36_000, 50),
    archivedAt: demo.ago(24),
  });
}

/**
 * Adds a deal set in which one dealership has a price in writing, one has a price that is not in
 * writing, and one has not answered. The question of the second cannot be read at first: once its
 * price is in writing, the buyer can unlock it.
 */
export function addInProgressSet(demo: DemoRecords): void {
  const row = { dealSetId: DEMO_SETS.inProgress, requestedAt: demo.ago(30) };
  demo.add({
    record: 'dealSet',
    id: DEMO_SETS.inProgress,
    buyerId: DEMO_BUYER_ID,
    car: { year: 2026, make: 'Toyota', model: 'RAV4', trim: 'Woodland', drivetrain: 'AWD' },
    buyerZip: '45202',
    radiusMiles: 250,
    dealersFound: 31,
    createdAt: row.requestedAt,
    latestActivityAt: demo.ago(1),
  });
  const rav4 = carsOf(2026, 'Toyota', 'RAV4');
  const written = demo.ask({
    ...row,
    dealershipId: AT.crossroads,
    listing: rav4('Woodland', 'Army Green', 5, 42_400),
    distanceMiles: 51,
    ...demo.written(44_310, 41_100, 1),
    // A dealership that has finished would make the deal set ready.
    finishedAt: null,
  });
  demo.replies(written, 1);
  const asking = demo.ask({
    ...row,
    dealershipId: AT.okafor,
    listing: rav4('Woodland', 'Wind Chill Pearl', null, 43_150),
    distanceMiles: 54.9,
    answer: 'same_car',
    price: { otdCents: 4_390_000 },
  });
  // The website has cleared no text of this question for a buyer who does not know the dealership,
  // so that the demo shows this state too.
  demo.question(asking, {
    promptId: 'prompt-trade-in',
    category: 'trade_in',
    text: 'Do you have a car to trade in? It would be part of the price that we write.',
    answerMode: 'text',
    askedAt: demo.ago(2),
  });
  demo.replies(asking, 1);
  demo.ask({ ...row, dealershipId: AT.riverbend, listing: rav4('XLE Premium') });
}

/** Adds a deal set that has ended. */
export function addEndedSet(demo: DemoRecords): void {
  const row = { dealSetId: DEMO_SETS.ended, requestedAt: demo.ago(900) };
  demo.add({
    record: 'dealSet',
    id: DEMO_SETS.ended,
    buyerId: DEMO_BUYER_ID,
    car: { year: 2025, make: 'Jeep', model: 'Grand Cherokee', trim: 'Limited' },
    buyerZip: '45202',
    radiusMiles: 100,
    dealersFound: 9,
    createdAt: row.requestedAt,
    endedAt: demo.ago(700),
    latestActivityAt: demo.ago(700),
  });
  const cherokee = carsOf(2025, 'Jeep', 'Grand Cherokee');
  const listing = cherokee('Limited');
  demo.ask({
    ...row,
    dealershipId: AT.stadler,
    listing: cherokee('Limited', 'Diamond Black', 40, 51_300),
    distanceMiles: 12.5,
    ...demo.written(52_640, 49_200, 860),
    ended: 'closed_with_price',
    endedAt: demo.ago(710),
  });
  const over = { ...row, endedAt: demo.ago(720) };
  demo.ask({
    ...over,
    dealershipId: AT.riverbend,
    listing,
    distanceMiles: 64.1,
    ended: 'no_price',
  });
  demo.ask({ ...over, dealershipId: AT.carrow, listing, distanceMiles: 88, ended: 'timed_out' });
}
