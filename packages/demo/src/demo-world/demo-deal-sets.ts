import type { RecordTypes } from 'deal-sets/operations';
import { DEMO_DEALERSHIPS as AT } from './demo-dealerships.js';
import { DEMO_BUYER_ID, DEMO_SETS } from './demo-people.js';
import type { DemoRecords } from './demo-records.js';

type Listing = RecordTypes['priceCheck']['listing'];

/** Everything is settled: two trims have prices in writing, one dealership is chosen, one unlocked. */
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
  const crv = (listing: Listing): Listing => ({
    year: 2026,
    make: 'Honda',
    model: 'CR-V',
    ...listing,
  });
  const row = { dealSetId, requestedAt };

  const cheapest = demo.ask({
    ...row,
    dealershipId: AT.hamilton,
    listing: crv({
      trim: 'EX-L',
      exteriorColor: 'Canyon River Blue',
      mileage: 12,
      listedAtCents: 3_895_000,
      vin: '5J6RS4H70TL000111',
      url: 'https://www.hondaofhamilton.example/new/cr-v-0111',
      imageUrl: 'https://www.hondaofhamilton.example/new/cr-v-0111.jpg',
    }),
    distanceMiles: 23.4,
    ...demo.written(39_870, 36_450, 30),
  });
  demo.replies(cheapest, 40, 30);

  const unlocked = demo.ask({
    ...row,
    dealershipId: AT.bexley,
    // Dealerships put their names where a trim belongs; the service treats such a part as unknown.
    listing: crv({
      trim: 'EX-L at Bexley Honda',
      exteriorColor: 'Platinum White Pearl',
      mileage: 8,
      listedAtCents: 3_940_000,
    }),
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
  demo.replies(unlocked, 27, 5);

  const chosen = demo.ask({
    ...row,
    dealershipId: AT.lakeside,
    listing: crv({
      trim: 'Sport-L Hybrid',
      exteriorColor: 'Meteorite Gray',
      mileage: 15,
      listedAtCents: 4_120_000,
    }),
    distanceMiles: 41.7,
    ...demo.written(42_480, 39_050, 26),
    unlockedAt: demo.ago(18),
    chosenAt: demo.ago(3),
  });
  demo.replies(chosen, 26);

  const secondHybrid = demo.ask({
    ...row,
    dealershipId: AT.carrow,
    listing: crv({
      trim: 'Sport-L Hybrid',
      exteriorColor: 'Crystal Black Pearl',
      mileage: 4_310,
      listedAtCents: 4_050_000,
    }),
    distanceMiles: 88,
    ...demo.written(42_950, 39_700, 22),
  });
  demo.draft(
    secondHybrid,
    'Thank you for the price. The car has 4,310 miles: is it a demonstrator, and is the full warranty left on it?',
    4,
  );
  demo.replies(secondHybrid, 22);

  demo.ask({
    ...row,
    dealershipId: AT.riverbend,
    listing: crv({
      trim: 'EX-L',
      exteriorColor: 'Radiant Red',
      mileage: 6,
      listedAtCents: 3_910_000,
    }),
    distanceMiles: 64.1,
    ...demo.written(40_100, 36_800, 60),
    ended: 'sold',
    endedAt: demo.ago(12),
  });
  const differentCar = demo.ask({
    ...row,
    dealershipId: AT.crossroads,
    listing: crv({ trim: 'LX', exteriorColor: 'Lunar Silver Metallic', listedAtCents: 3_390_000 }),
    distanceMiles: 51,
    answer: 'different_car',
    price: { otdCents: 3_540_000, writtenAt: demo.ago(33) },
    finishedAt: demo.ago(33),
  });
  demo.replies(differentCar, 33);
  demo.ask({
    ...row,
    dealershipId: AT.stadler,
    listing: crv({ trim: 'EX-L', exteriorColor: 'Urban Gray Pearl', mileage: 21_400 }),
    distanceMiles: 112,
    ...demo.written(38_990, 36_000, 50),
    archivedAt: demo.ago(24),
  });
}

/** Some dealerships still have to answer; one spoke of a price and did not write it down. */
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
  const rav4 = (listing: Listing): Listing => ({
    year: 2026,
    make: 'Toyota',
    model: 'RAV4',
    ...listing,
  });
  const written = demo.ask({
    ...row,
    dealershipId: AT.crossroads,
    listing: rav4({
      trim: 'Woodland',
      exteriorColor: 'Army Green',
      mileage: 5,
      listedAtCents: 4_240_000,
    }),
    distanceMiles: 51,
    ...demo.written(44_310, 41_100, 1),
    // A dealership that has finished would make the deal set ready.
    finishedAt: null,
  });
  demo.replies(written, 1);
  const asking = demo.ask({
    ...row,
    dealershipId: AT.okafor,
    listing: rav4({
      trim: 'Woodland',
      exteriorColor: 'Wind Chill Pearl',
      listedAtCents: 4_315_000,
    }),
    distanceMiles: 54.9,
    answer: 'same_car',
    price: { otdCents: 4_390_000 },
  });
  demo.question(asking, {
    promptId: 'prompt-trade-in',
    category: 'trade_in',
    text: 'Do you have a car to trade in? It would be part of the price that we write.',
    answerMode: 'text',
    askedAt: demo.ago(2),
  });
  demo.replies(asking, 2);
  demo.ask({ ...row, dealershipId: AT.riverbend, listing: rav4({ trim: 'XLE Premium' }) });
}

/** Ended: no dealership had the car. */
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
  const listing = { year: 2025, make: 'Jeep', model: 'Grand Cherokee', trim: 'Limited' };
  demo.ask({
    ...row,
    dealershipId: AT.stadler,
    listing: { ...listing, exteriorColor: 'Diamond Black', mileage: 40, listedAtCents: 5_130_000 },
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
