import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  priceCheck,
  question,
  signIn,
  written,
} from '../../builders/index.js';

const unlockedAt = '2026-01-05T00:00:00Z';
const chosenAt = '2026-01-06T00:00:00Z';
const archivedAt = '2026-01-07T00:00:00Z';

/** The car of the set as an assistant receives it. */
export const CAR_FOR_ASSISTANTS = {
  year: 2026,
  make: 'Honda',
  model: 'Civic',
  trim: null,
  exteriorColor: null,
  interiorColor: null,
  drivetrain: null,
  powertrain: null,
};

/**
 * One buyer with one deal set in which every standing of a row occurs, and a second buyer. Rows are
 * named for what they are.
 */
export function everyStateWorld() {
  const anna = buyer();
  const ben = buyer();
  const names = [
    'Fremont Honda',
    'Bay Honda',
    'Oakland Honda',
    'Delta Motors',
    'Marina Autos',
  ] as const;
  const dealerships = names.map((name, index) =>
    dealership({
      name,
      phone: `(510) 555-01${index}0`,
      email: `sales@dealer${index}.example`,
      website: `https://dealer${index}.example`,
      verifiedPartner: index === 0 ? true : index === 1 ? false : undefined,
    }),
  );
  const set = dealSet({
    buyerId: anna.id,
    car: {
      year: 2026,
      make: 'Honda',
      model: 'Civic',
      trim: 'Wished Trim',
      exteriorColor: 'Wished Red',
      interiorColor: 'Wished Black',
      drivetrain: 'Wished FWD',
      powertrain: 'Wished Hybrid',
    },
    buyerZip: '94536',
    radiusMiles: 250,
    dealersFound: 17,
  });
  const member = (
    dealer: number,
    trim: string | undefined,
    given: Partial<Parameters<typeof priceCheck>[0]> = {},
  ) =>
    priceCheck({
      buyerId: anna.id,
      dealSetId: set.id,
      dealershipId: dealerships[dealer]!.id,
      listing: {
        year: 2026,
        make: 'Honda',
        model: 'Civic',
        trim,
        exteriorColor: 'Blue',
        mileage: 12_349,
        listedAtCents: 3_099_900,
        vin: `1HGVIN${given.id ?? dealer}${trim ?? ''}`.slice(0, 17),
        url: `https://dealer${dealer}.example/listing`,
        imageUrl: `https://dealer${dealer}.example/image.jpg`,
      },
      distanceMiles: 12.375,
      ...given,
    });
  const rows = {
    lowest: member(0, 'EX', {
      answer: 'same_car',
      price: {
        otdCents: 3_000_000,
        sellingPriceCents: 2_700_000,
        writtenAt: '2026-01-03T00:00:00Z',
      },
      distanceMiles: 31.625,
    }),
    second: member(1, 'EX', { ...written(3_010_000), unlockedAt }),
    chosen: member(2, 'EX', { ...written(3_020_000), unlockedAt, chosenAt }),
    chosenAtOnce: member(3, 'LX', { ...written(2_999_999 + 50_000), chosenAt }),
    noTrim: member(4, undefined, { ...written(3_500_000) }),
    waiting: member(0, 'EX'),
    notInWriting: member(1, 'EX', { answer: 'same_car', price: { otdCents: 1_000_000 } }),
    differentCar: member(2, 'Sport', {
      answer: 'different_car',
      price: { otdCents: 2_000_000, writtenAt: '2026-01-03T00:00:00Z' },
    }),
    sold: member(3, 'EX', { ...written(2_100_000), ended: 'sold' }),
    closedWithPrice: member(4, 'EX', {
      ...written(2_200_000),
      ended: 'closed_with_price',
      endedAt: '2026-01-08T00:00:00Z',
    }),
    noPrice: member(0, 'EX', { ended: 'no_price' }),
    timedOut: member(1, 'EX', { ended: 'timed_out', price: { otdCents: 5 } }),
    archived: member(2, 'EX', { ...written(1_500_000), archivedAt, chosenAt }),
    unknownListing: member(3, undefined, {
      listing: {},
      ...written(3_600_000),
      distanceMiles: undefined,
    }),
  };
  const items = {
    question: question({
      priceCheckId: rows.lowest.id,
      promptId: 'prompt:1',
      category: 'trade_in',
      text: 'Secret words of a question',
      answerMode: 'yes_no',
      otdCents: 3_000_000,
    }),
    unknownCategory: question({
      priceCheckId: rows.second.id,
      category: 'made.up',
      text: 'More secret words',
    }),
    answered: question({
      priceCheckId: rows.lowest.id,
      answeredAt: '2026-01-05T00:00:00Z',
      text: 'Answered words',
    }),
    onArchived: question({ priceCheckId: rows.archived.id, text: 'Archived words' }),
    onEnded: question({ priceCheckId: rows.sold.id, text: 'Ended words' }),
    draft: draft({ priceCheckId: rows.chosen.id, body: 'Secret words of a draft' }),
    longDraft: draft({ priceCheckId: rows.chosen.id, body: `Long ${'secret '.repeat(60)}end` }),
    resolved: draft({
      priceCheckId: rows.chosen.id,
      body: 'Resolved words',
      resolvedAt: '2026-01-05T00:00:00Z',
    }),
  };
  const annasSession = signIn(anna.id);
  const bensSession = signIn(ben.id);
  const records = [
    anna,
    ben,
    ...dealerships,
    set,
    ...Object.values(rows),
    ...Object.values(items),
    annasSession.record,
    bensSession.record,
    grant({ buyerId: anna.id }),
    grant({ buyerId: anna.id, clientId: 'hosted-1', hosted: true }),
  ];
  return {
    anna,
    ben,
    dealerships,
    names,
    set,
    rows,
    items,
    records,
    session: { cookie: annasSession.cookie },
    bensSession: { cookie: bensSession.cookie },
  };
}
