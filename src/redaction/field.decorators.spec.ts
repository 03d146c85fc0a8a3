import type { Type } from '@nestjs/common';
import { Exclude } from 'class-transformer';
import {
  Described,
  NeverTrue,
  ResponseDto,
  Shown,
  UnlessHosted,
  Withheld,
} from './field.decorators.js';
import { shapeOf } from './shape-of.js';
import { DESCRIBED, NEVER_TRUE, SAME, UNLESS_HOSTED, WITHHELD } from './field.js';
import { composeRedaction } from './redact.js';

function redacted(dto: Type, value: unknown, audience: 'session' | 'assistant'): unknown {
  return composeRedaction(shapeOf(dto), audience, new Set())(value);
}

describe('shapeOf', () => {
  it('gives the name, the description and each declared field with its form', () => {
    @ResponseDto('A note.')
    class Note {
      @Shown('Its id.', { type: 'uuid' }) readonly id!: string;
      @Described('Its name.', 'A car for an assistant.') readonly label!: string;
      @Withheld('Its words.', { type: 'text' }) readonly words!: string | null;
      @NeverTrue('Whether they are whole.') readonly isWhole?: boolean;
      @UnlessHosted('Of a partner.') readonly isPartner?: boolean;
      readonly undeclared!: string;
    }
    const text = { type: 'string' };
    const leaf = (type: string, schema: object): object => ({ is: 'leaf', type, schema });
    const field = (value: object, description: string, forms: object, isOptional = false) => ({
      value,
      description,
      forms,
      isOptional,
    });
    const flag = leaf('boolean', { type: 'boolean' });
    expect(shapeOf(Note)).toEqual({
      name: 'Note',
      description: 'A note.',
      fields: {
        id: field(leaf('text', { ...text, format: 'uuid' }), 'Its id.', SAME),
        label: field(leaf('text', text), 'Its name. A car for an assistant.', DESCRIBED),
        words: field({ is: 'nullable', of: leaf('text', text) }, 'Its words.', WITHHELD),
        isWhole: field(flag, 'Whether they are whole.', NEVER_TRUE, true),
        isPartner: field(flag, 'Of a partner.', UNLESS_HOSTED, true),
      },
    });
    expect(shapeOf(Note)).toBe(shapeOf(Note));
  });

  it('takes a text, an integer and a boolean from the type of the property', () => {
    const WORDS = ['new', 'old'] as const;
    @ResponseDto('Values.')
    class Values {
      @Shown('A text.') readonly topic!: string;
      @Shown('An integer.') readonly cents!: number;
      @Shown('A boolean.') readonly isNew!: boolean;
      @Shown('A decimal.', { type: 'decimal' }) readonly miles!: number;
      @Shown('Words.', { words: WORDS }) readonly state!: (typeof WORDS)[number];
      @Shown('One word.', { words: ['only'] }) readonly kind!: 'only';
    }
    const types = Object.entries(shapeOf(Values).fields).map(([name, { value }]) => [
      name,
      value.is === 'leaf' ? [value.type, value.schema['enum'] ?? value.schema['const']] : value.is,
    ]);
    expect(Object.fromEntries(types)).toEqual({
      topic: ['text', undefined],
      cents: ['integer', undefined],
      isNew: ['boolean', undefined],
      miles: ['decimal', undefined],
      state: ['text', ['new', 'old']],
      kind: ['text', 'only'],
    });
  });
});

/** A class with one property, as the compiler emits it: of this type, with this declaration. */
function declared(type: unknown, decorate: unknown): Type {
  class Dto {
    readonly part!: unknown;
  }
  Reflect.defineMetadata('design:type', type, Dto.prototype, 'part');
  (decorate as PropertyDecorator)(Dto.prototype, 'part');
  return Dto;
}

describe('a declaration', () => {
  it.each<[string, unknown, unknown, string]>([
    [
      'a text as a boolean',
      String,
      { type: 'boolean' },
      'declared as boolean, and its type is text',
    ],
    ['a text as a count', String, { type: 'count' }, 'declared as count, and its type is text'],
    ['a number as a text', Number, { type: 'text' }, 'declared as text, and its type is integer'],
    ['a number as a word', Number, { words: ['a'] }, 'declared as text, and its type is integer'],
    [
      'a boolean as a number',
      Boolean,
      { type: 'decimal' },
      'declared as decimal, and its type is boolean',
    ],
    [
      'a text or null without its type',
      Object,
      { isNullable: true },
      'name its type in the declaration',
    ],
    ['a time without its type', Date, undefined, 'name its type in the declaration'],
    ['a list without its type', Array, { isList: true }, 'name its type in the declaration'],
  ])('stops, each time, with the name of the property: %s', (_what, own, type, problem) => {
    const dto = declared(own, Shown('A part.', type as object));
    for (const _time of [1, 2]) {
      expect(() => shapeOf(dto)).toThrow(new Error(`Dto.part: ${problem}`));
    }
    @ResponseDto('A response.')
    class Response {
      @Shown('It.', { type: () => dto }) readonly data!: object;
    }
    expect(() => shapeOf(Response)).toThrow(`Dto.part: ${problem}`);
  });

  it('stops for a decorator that knows the type itself', () => {
    expect(() => shapeOf(declared(String, NeverTrue('A text.')))).toThrow(
      'Dto.part: declared as boolean, and its type is text',
    );
  });

  it('is complete with the type of what is nullable', () => {
    class Named {
      @Shown('A text or null.', { type: 'text', isNullable: true }) readonly part!: string | null;
    }
    expect(shapeOf(Named).fields['part']?.value).toMatchObject({ is: 'nullable' });
  });
});

describe('@Exclude of class-transformer', () => {
  it('withholds a nullable property from everyone', () => {
    @ResponseDto('A note.')
    class Note {
      @Shown('Its topic.') readonly topic!: string;
      @Exclude()
      @Shown('The dealership.', { type: 'text', isNullable: true })
      readonly dealer!: string | null;
    }
    const note: Note = { topic: 'price', dealer: 'Redwood Motors' };
    for (const audience of ['session', 'assistant'] as const) {
      expect(redacted(Note, note, audience)).toEqual({ topic: 'price', dealer: null });
    }
    expect(shapeOf(Note).fields['dealer']?.forms).toEqual({ session: 'null', assistant: 'null' });
  });

  it('counts in both orders of the decorators, for plain objects alone, and in every heir', () => {
    class Note {
      @Shown('The dealership.', { type: 'text', isNullable: true })
      @Exclude()
      readonly dealer!: string | null;
      @Exclude({ toPlainOnly: true })
      @Withheld('The words.', { type: 'text' })
      readonly words!: string | null;
    }
    class Heir extends Note {
      @Shown('Its topic.') readonly topic!: string;
    }
    const given = { dealer: 'Redwood', words: 'Redwood', topic: 'price' };
    expect(redacted(Note, given, 'session')).toEqual({ dealer: null, words: null });
    expect(redacted(Heir, given, 'session')).toEqual({ ...given, dealer: null, words: null });
  });

  it('stops with the name of a property that cannot be null', () => {
    class Note {
      @Exclude()
      @Shown('The dealership.')
      readonly dealer!: string;
    }
    expect(() => shapeOf(Note)).toThrow(
      new Error('Note.dealer: a property that @Exclude hides must be nullable'),
    );
  });
});

describe('a decorator of a team', () => {
  it('is shared by two classes, which do not share their fields', () => {
    const Words = Withheld('The words.', { type: 'text' });
    class First {
      @Words readonly words!: string | null;
    }
    class Second {
      @Words readonly note!: string | null;
    }
    expect(Object.keys(shapeOf(First).fields)).toEqual(['words']);
    expect(shapeOf(Second).fields).toEqual({ note: shapeOf(First).fields['words'] });
  });
});

describe('inheritance', () => {
  @ResponseDto('A base.')
  class Base {
    @Shown('Its id.') readonly id!: string;
    @Shown('Its words.', { type: 'text', isNullable: true }) readonly words!: string | null;
  }
  @ResponseDto('An heir.')
  class Heir extends Base {
    @Withheld('Its own words.', { type: 'text' }) declare readonly words: string | null;
    @Shown('Its price.') readonly cents!: number;
  }
  class Plain extends Base {}

  it('gives an heir the fields of its base, then its own', () => {
    expect(Object.keys(shapeOf(Heir).fields)).toEqual(['id', 'words', 'cents']);
    expect(shapeOf(Heir)).toMatchObject({ name: 'Heir', description: 'An heir.' });
  });

  it('lets an heir declare a field anew, and leaves the base as it was', () => {
    expect(shapeOf(Heir).fields['words']?.forms).toEqual(WITHHELD);
    expect(shapeOf(Base).fields['words']?.forms).toEqual(SAME);
    expect(Object.keys(shapeOf(Base).fields)).toEqual(['id', 'words']);
  });

  it('names an heir that declares nothing by its own name', () => {
    expect(shapeOf(Plain)).toEqual({ ...shapeOf(Base), name: 'Plain' });
  });
});
