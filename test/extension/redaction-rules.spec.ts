import type { DealSetsExtensions, Principal } from '../../src/index.js';
import { RedactionRule } from '../../src/index.js';
import type { DealSetAnswer, ListAnswer } from '../../src/deal-sets/dto/answers.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { load, smallWorld } from '../builders/index.js';
import { TestService, type Credential } from '../setup/test-service.js';

/** Acme does not show list prices to its assistants. */
class NoListPrices extends RedactionRule {
  fieldsToHide(principal: Principal): readonly string[] {
    return principal.type === 'assistant' ? ['Row.listedAtCents', 'Hero.listedAtCents'] : [];
  }
}
/** Nor trims, to anyone; and nobody learns who is a partner. */
class NoTrims extends RedactionRule {
  fieldsToHide(): readonly string[] {
    return ['Row.quotedTrim', 'Hero.trim', 'RankedGroup.trim', 'Row.isVerifiedPartner'];
  }
}
class Naming extends RedactionRule {
  constructor(private readonly path: string) {
    super();
  }
  fieldsToHide(): readonly string[] {
    return [this.path];
  }
}
class Broken extends RedactionRule {
  fieldsToHide(): readonly string[] {
    throw new Error('the rule’s own store holds Redwood Motors');
  }
}
/** Believes that a rule could show more. */
class Widening extends RedactionRule {
  fieldsToHide(principal: Principal): readonly string[] {
    Object.assign(principal, { type: 'session', isHosted: false });
    return [];
  }
}

const world = smallWorld();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
});
afterAll(() => database.drop());

async function withRules(
  redactionRules: DealSetsExtensions['redactionRules'],
  work: (service: TestService, assistant: Credential) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({ database, extensions: { redactionRules } });
  try {
    await work(service, await service.tokenFor(world.anna.id));
  } finally {
    await service.stop();
  }
}
const GET = `/api/v1/deal-sets/${world.set.id}`;
const LIST = '/api/v1/deal-sets';

describe('a team’s own redaction rules', () => {
  it('hide the union of what they name, each from whom it says', async () => {
    await withRules(
      [NoListPrices, { useFactory: () => new NoTrims() }],
      async (service, assistant) => {
        const told = (await service.get<DealSetAnswer>(GET, assistant)).body.data;
        expect(told.hero).toMatchObject({ listedAtCents: null, trim: null, otdCents: 3_100_000 });
        expect(told.ranked[0]?.trim).toBeNull();
        expect(told.ranked[0]?.rows[0]).toMatchObject({ listedAtCents: null, quotedTrim: null });
        expect(told.ranked[0]?.rows[0]).not.toHaveProperty('isVerifiedPartner');
        const own = (await service.get<DealSetAnswer>(GET, world.session)).body.data;
        expect(own.hero).toMatchObject({
          listedAtCents: 3_000_000,
          trim: null,
          label: 'Redwood Motors',
        });
        expect(own.ranked[0]?.rows[0]).not.toHaveProperty('isVerifiedPartner');
      },
    );
  });

  it('cannot widen: what the contract withholds stays withheld', async () => {
    await withRules([Widening], async (service, assistant) => {
      const { data } = (await service.get<DealSetAnswer>(GET, assistant)).body;
      expect(data.search).toEqual({ buyerZip: null, radiusMiles: null });
      expect(data.hero?.label).toBe('2025 CR-V EX-L, about 1,200 miles, listed at $30,000');
      expect(data.ranked[0]?.rows[0]).toMatchObject({ distanceMiles: null, distanceBand: null });
      const hosted = await service.tokenFor(world.anna.id, { client_id: 'hosted-1' });
      const rows = (await service.get<DealSetAnswer>(GET, hosted)).body.data.ranked[0]?.rows;
      expect(rows?.[0]).not.toHaveProperty('isVerifiedPartner');
    });
  });

  it.each([
    ['throws', Broken],
    ['names a label', { useValue: new Naming('Row.label') }],
    ['names what every client needs', { useValue: new Naming('Row.rowKey') }],
    ['names a field that does not exist', { useValue: new Naming('Row.vin') }],
    [
      'answers something else',
      { useValue: { fieldsToHide: () => null } as unknown as RedactionRule },
    ],
  ])('fail the request closed when one %s', async (_what, rule) => {
    await withRules([NoTrims, rule], async (service, assistant) => {
      for (const who of [assistant, world.session]) {
        for (const target of [GET, LIST, `${LIST}?since=1970-01-01T00:00:00Z`]) {
          const answer = await service.get<{ error: { code: string } }>(target, who);
          expect([answer.status, answer.body.error.code]).toEqual([500, 'internal']);
          expect(answer.text).not.toMatch(/Redwood|CR-V|rule|Row/);
          expect(answer.headers).not.toHaveProperty('service-more');
        }
      }
    });
  });

  it('are made once, with what they ask for, and see each caller as who it is', async () => {
    const seen: string[] = [];
    class Watching extends RedactionRule {
      fieldsToHide(principal: Principal): readonly string[] {
        seen.push(
          principal.type === 'assistant'
            ? `${principal.type} ${principal.clientId}`
            : principal.type,
        );
        return [];
      }
    }
    let made = 0;
    await withRules(
      [{ useFactory: () => ((made += 1), new Watching()), inject: [] }],
      async (service, assistant) => {
        await service.get<ListAnswer>(LIST, assistant);
        await service.get<ListAnswer>(LIST, world.session);
      },
    );
    expect([made, seen]).toEqual([1, ['assistant assistant-1', 'session']]);
  });
});
