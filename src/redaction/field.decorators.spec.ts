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
import { DESCRIBED, fieldsOf, NEVER_TRUE, SHOWN_TO_ALL, UNLESS_HOSTED, WITHHELD } from './field.js';
import { composeRedaction } from './field-redaction.js';

function redacted(dto: Type, value: unknown, audience: 'session' | 'assistant'): unknown {
  return composeRedaction(dto, audience)(value);
}

describe('fieldsOf', () => {
  it('returns each declared field with its type and its visibility', () => {
    @ResponseDto('A note.')
    class Note {
      @Shown('Its id.', { type: 'uuid' }) readonly id!: string;
      @Described('Its name.', 'A car for an assistant.') readonly label!: string;
      @Withheld('Its words.', { type: 'text' }) readonly words!: string | null;
      @NeverTrue('Whether they are whole.') readonly isWhole?: boolean;
      @UnlessHosted('Of a partner.') readonly isPartner?: boolean;
      readonly undeclared!: string;
    }
    const field = (type: object, description: string, visibility: object) => ({
      description,
      visibility,
      type,
    });
    const flag = { type: 'boolean', isOptional: true };
    expect(fieldsOf(Note)).toEqual({
      id: field({ type: 'uuid' }, 'Its id.', SHOWN_TO_ALL),
      label: field({ type: 'text' }, 'Its name. A car for an assistant.', DESCRIBED),
      words: field({ type: 'text', isNullable: true }, 'Its words.', WITHHELD),
      isWhole: field(flag, 'Whether they are whole.', NEVER_TRUE),
      isPartner: field(flag, 'Of a partner.', UNLESS_HOSTED),
    });
  });

  it('derives a text, an integer and a boolean from the type of the property', () => {
    const WORDS = ['new', 'old'] as const;
    @ResponseDto('Values.')
    class Values {
      @Shown('A text.') readonly topic!: string;
      @Shown('An integer.') readonly cents!: number;
      @Shown('A boolean.') readonly isNew!: boolean;
      @Shown('A decimal.', { type: 'decimal' }) readonly miles!: number;
      @Shown('Words.', { enum: WORDS }) readonly state!: (typeof WORDS)[number];
    }
    const types = Object.entries(fieldsOf(Values)).map(([name, { type }]) => [name, type.type]);
    expect(Object.fromEntries(types)).toEqual({
      topic: 'text',
      cents: 'integer',
      isNew: 'boolean',
      miles: 'decimal',
      state: 'text',
    });
  });
});

describe('a declaration', () => {
  /** Returns a function that declares a property; `own` is the type that the compiler emits. */
  const declare = (own: unknown, type: object | undefined) => () => {
    class Dto {
      readonly value!: unknown;
    }
    Reflect.defineMetadata('design:type', own, Dto.prototype, 'part');
    (Shown('A part.', type) as PropertyDecorator)(Dto.prototype, 'part');
  };

  it.each<[string, unknown, object | undefined]>([
    ['a text or null', Object, { isNullable: true }],
    ['a time', Date, undefined],
    ['a list', Array, { isList: true }],
  ])('stops the boot without a type, and names the property: %s', (_what, own, type) => {
    const missing = new Error('Dto.part: name its type in the declaration');
    expect(declare(own, type)).toThrow(missing);
    expect(declare(own, { ...type, type: 'text' })).not.toThrow();
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
    expect(fieldsOf(Note)['dealer']?.visibility).toEqual({ session: 'null', assistant: 'null' });
  });

  it('applies in both orders of the decorators, only for plain objects, and in every subclass', () => {
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
    const input = { dealer: 'Redwood', words: 'Redwood', topic: 'price' };
    expect(redacted(Note, input, 'session')).toEqual({ dealer: null, words: null });
    expect(redacted(Heir, input, 'session')).toEqual({ ...input, dealer: null, words: null });
  });

  it('rejects a property that cannot be null, and names it', () => {
    class Note {
      @Exclude()
      @Shown('The dealership.')
      readonly dealer!: string;
    }
    expect(() => fieldsOf(Note)).toThrow(
      new Error('Note.dealer: a property that @Exclude hides must be nullable'),
    );
  });
});

describe('a decorator of a host application', () => {
  it('is shared by two classes, which do not share their fields', () => {
    const Words = Withheld('The words.', { type: 'text' });
    class First {
      @Words readonly words!: string | null;
    }
    class Second {
      @Words readonly note!: string | null;
    }
    expect(Object.keys(fieldsOf(First))).toEqual(['words']);
    expect(fieldsOf(Second)).toEqual({ note: fieldsOf(First)['words'] });
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

  it('returns the fields of the base class first, then those of the subclass', () => {
    expect(Object.keys(fieldsOf(Heir))).toEqual(['id', 'words', 'cents']);
  });

  it('lets a subclass declare a field anew, and leaves the base class unchanged', () => {
    expect(fieldsOf(Heir)['words']?.visibility).toEqual(WITHHELD);
    expect(fieldsOf(Base)['words']?.visibility).toEqual(SHOWN_TO_ALL);
    expect(Object.keys(fieldsOf(Base))).toEqual(['id', 'words']);
  });
});
