import fc from 'fast-check';
import { dealSetFacts } from '../../test/builders/arbitrary-facts.js';
import { packUuids } from '../kernel/packed-uuids.js';
import type { AssistantPrincipal, SessionPrincipal } from '../kernel/principal.js';
import { dealSetResultView } from '../deal-sets/view/deal-set-result-view.js';
import { DealSetResponse } from '../deal-sets/dto/responses.js';
import {
  integer,
  nullable,
  oneWord,
  optional,
  shape,
  shown,
  text,
  withheld,
  uuidList,
} from './field.js';
import { ResponseSerializer } from './response-serializer.js';
import { compileSerializer, type Audience } from './compile-serializer.js';
import type { FieldPath, FieldRule } from './field-rule.js';
import { SerializerSource } from './serializer-source.js';

const scopes = new Set(['offers:read']);
const session: SessionPrincipal = { type: 'session', buyerId: 'b', scopes };
const assistant: AssistantPrincipal = {
  type: 'assistant',
  buyerId: 'b',
  clientId: 'c',
  scopes,
  isHosted: false,
  seesChanges: false,
};

const nothing = new Set<string>();
const roots = () => [DealSetResponse];
const write = (answer: unknown, audience: Audience): unknown =>
  JSON.parse(compileSerializer(DealSetResponse, audience, nothing)(answer));

describe('compileSerializer', () => {
  it('writes for the buyer what the view holds, as JSON', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const answer = { data: dealSetResultView(set, 'session') };
        expect(write(answer, 'session')).toEqual(JSON.parse(JSON.stringify(answer)));
      }),
    );
  });

  it('withholds from an assistant for any value of the view', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const { data } = write({ data: dealSetResultView(set, 'session') }, 'assistant') as {
          data: Record<string, Record<string, unknown>> & {
            ranked: { rows: Record<string, unknown>[] }[];
          };
        };
        expect(data['search']).toEqual({ buyerZip: null, radiusMiles: null });
        expect(data['car']).toMatchObject({
          trim: null,
          exteriorColor: null,
          interiorColor: null,
          drivetrain: null,
          powertrain: null,
        });
        expect(data['counts']?.['total']).toBeNull();
        expect(data['headerLine']).toBeNull();
        for (const row of data.ranked.flatMap((group) => group.rows)) {
          expect([row['distanceMiles'], row['distanceBand']]).toEqual([null, null]);
        }
      }),
    );
  });

  it('leaves the partner flag out for a hosted assistant alone', () => {
    const set = fc
      .sample(dealSetFacts, { numRuns: 20, seed: 4 })
      .find((facts) => facts.priceChecks.length > 5)!;
    const json = (audience: Audience): string =>
      compileSerializer(
        DealSetResponse,
        audience,
        nothing,
      )({ data: dealSetResultView(set, 'assistant') });
    expect(json('assistant')).toContain('isVerifiedPartner');
    expect(json('hosted-assistant')).not.toContain('isVerifiedPartner');
  });

  const Small = shape('Small', 'For this test.', {
    kind: shown(oneWord('small'), 'A word.'),
    name: shown(text, 'A name.'),
    secret: withheld(text, 'Withheld.'),
    price: shown(nullable(integer), 'A price.'),
    note: optional(text, 'Optional.'),
  });
  const small = {
    kind: 'small',
    name: 'a "b" \u0000 \ud800 \u{1f697}',
    secret: 's',
    price: 1,
    extra: 'never',
  };
  const writeSmall = compileSerializer(Small, 'session', nothing);

  it('never writes a property that is not declared', () => {
    expect(JSON.parse(writeSmall(small))).toEqual({
      kind: 'small',
      name: small.name,
      secret: 's',
      price: 1,
    });
  });

  // The sample is what a person reads to see what is generated: for the buyer, and for an assistant.
  it.each<Audience>(['session', 'assistant'])(
    'generates the code of the sample for %s',
    (audience) => {
      const source = new SerializerSource(audience, new Set());
      source.writerOf(Small);
      expect(source.text).toMatchSnapshot();
    },
  );

  it('escapes exactly as JSON does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(writeSmall({ ...small, name })).toContain(JSON.stringify(name));
      }),
    );
  });

  it.each([
    ['a missing field', { ...small, name: undefined }],
    ['a wrong type', { ...small, name: 5 }],
    ['an unsafe integer', { ...small, price: 2 ** 53 }],
    ['a fraction for an integer', { ...small, price: 0.5 }],
    ['not a number', { ...small, price: Number.NaN }],
    ['null for what is never null', { ...small, name: null }],
    ['no object', null],
  ])('rejects %s without the value in the message', (_what, value) => {
    expect(() => writeSmall(value)).toThrow(/^a response holds something other than/);
  });
});

describe('a list of ids that is held as one text', () => {
  const Ids = shape('Ids', 'Ids.', { ids: shown(uuidList, 'Ids.') });
  const writeIds = (ids: unknown): string => compileSerializer(Ids, 'session', nothing)({ ids });
  const id = '0bd8a1c2-3f4e-4a5b-8c6d-7e8f90a1b2c3';

  it.each([[[]], [[id]], [[id, id, id]]])('is written as a list: %j', (ids) => {
    expect(JSON.parse(writeIds(packUuids(ids)))).toEqual({ ids });
  });

  it.each([
    ['a list', [id]],
    ['null', null],
  ])('refuses %s', (_what, ids) => {
    expect(() => writeIds(ids)).toThrow('a response holds something other than packed ids');
  });
});

describe('a team’s rules', () => {
  const set = fc
    .sample(dealSetFacts, { numRuns: 30, seed: 7 })
    .find((facts) => facts.priceChecks.length > 5)!;
  const answer = { data: dealSetResultView(set, 'assistant') };
  const rule = (...hide: FieldPath[]): FieldRule => ({ hide, from: () => true });

  it('hide the union of what they name', () => {
    const json = new ResponseSerializer(
      [rule('Row.listedAtCents'), rule('Row.quotedTrim', 'DealSetResult.hero')],
      roots,
    ).write(DealSetResponse, answer, session);
    const { data } = JSON.parse(json) as {
      data: { hero: unknown; everyoneElse: Record<string, Record<string, unknown>[]> };
    };
    expect(data.hero).toBeNull();
    for (const row of Object.values(data.everyoneElse).flat()) {
      expect([row['listedAtCents'], row['quotedTrim']]).toEqual([null, null]);
    }
  });

  it('cannot widen: what is withheld stays withheld', () => {
    const plain = new ResponseSerializer([], roots).write(
      DealSetResponse,
      { data: dealSetResultView(set, 'session') },
      assistant,
    );
    const ruled = new ResponseSerializer([rule()], roots).write(
      DealSetResponse,
      { data: dealSetResultView(set, 'session') },
      assistant,
    );
    expect(ruled).toBe(plain);
  });

  it.each(['Row.label', 'Row.noSuchField', 'NoSuchShape.x'] as const)('cannot name %s', (path) => {
    expect(() => new ResponseSerializer([rule(path)], roots).onModuleInit()).toThrow(path);
  });

  it('fail the answer closed when they throw', () => {
    const failing: FieldRule = {
      hide: ['Row.listedAtCents'],
      from: () => {
        throw new Error('broken rule');
      },
    };
    expect(() =>
      new ResponseSerializer([failing], roots).write(DealSetResponse, answer, assistant),
    ).toThrow('broken rule');
  });
});
