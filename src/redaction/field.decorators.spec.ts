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

/** A declaration as a caller in JavaScript writes it: no compiler compares it with the property. */
const untyped = (decorator: unknown): PropertyDecorator => decorator as PropertyDecorator;

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
    expect(shapeOf(Note)).toEqual({
      name: 'Note',
      description: 'A note.',
      fields: {
        id: {
          value: leaf('text', { ...text, format: 'uuid' }),
          description: 'Its id.',
          forms: SAME,
          isOptional: false,
        },
        label: {
          value: leaf('text', text),
          description: 'Its name. A car for an assistant.',
          forms: DESCRIBED,
          isOptional: false,
        },
        words: {
          value: { is: 'nullable', of: leaf('text', text) },
          description: 'Its words.',
          forms: WITHHELD,
          isOptional: false,
        },
        isWhole: {
          value: leaf('boolean', { type: 'boolean' }),
          description: 'Whether they are whole.',
          forms: NEVER_TRUE,
          isOptional: true,
        },
        isPartner: {
          value: leaf('boolean', { type: 'boolean' }),
          description: 'Of a partner.',
          forms: UNLESS_HOSTED,
          isOptional: true,
        },
      },
    });
  });

  it('is made once for a class', () => {
    @ResponseDto('A note.')
    class Note {
      @Shown('A text.') readonly topic!: string;
    }
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

describe('a declaration that contradicts the type of its property', () => {
  class TextAsBoolean {
    @untyped(Shown('A text.', { type: 'boolean' })) readonly part!: string;
  }
  class TextAsCount {
    @untyped(Shown('A text.', { type: 'count' })) readonly part!: string;
  }
  class NumberAsText {
    @untyped(Withheld('A number.', { type: 'text' })) readonly part!: number;
  }
  class NumberAsWord {
    @untyped(Shown('A number.', { words: ['one'] })) readonly part!: number;
  }
  class BooleanAsNumber {
    @untyped(UnlessHosted('A boolean.', { type: 'decimal' })) readonly part!: boolean;
  }
  class TextThatIsNeverTrue {
    @untyped(NeverTrue('A text.')) readonly part!: string;
  }

  it.each<[Type, declared: string, own: string]>([
    [TextAsBoolean, 'boolean', 'text'],
    [TextAsCount, 'count', 'text'],
    [NumberAsText, 'text', 'integer'],
    [NumberAsWord, 'text', 'integer'],
    [BooleanAsNumber, 'decimal', 'boolean'],
    [TextThatIsNeverTrue, 'boolean', 'text'],
  ])('stops with the name of the property: %p', (dto, declared, own) => {
    expect(() => shapeOf(dto)).toThrow(
      new Error(`${dto.name}.part: declared as ${declared}, and its type is ${own}`),
    );
  });

  it('stops with the name of the property in a class that a response holds', () => {
    class TextThatIsBroken {
      @untyped(Shown('A text.', { type: 'integer' })) readonly part!: string;
    }
    @ResponseDto('A response.')
    class Response {
      @Shown('It.', { type: () => TextThatIsBroken }) readonly data!: TextThatIsBroken;
    }
    expect(() => shapeOf(Response)).toThrow(/^TextThatIsBroken\.part: declared as integer/);
  });

  it('stops each time, not the first time alone', () => {
    class Broken {
      @untyped(Shown('A text.', { type: 'integer' })) readonly part!: string;
    }
    for (const _time of [1, 2]) expect(() => shapeOf(Broken)).toThrow('Broken.part');
  });
});

describe('a property of which the type says nothing', () => {
  it('stops with its name where the declaration names no type: a union with null', () => {
    class Unnamed {
      @untyped(Shown('A text or null.', { isNullable: true })) readonly part!: string | null;
    }
    expect(() => shapeOf(Unnamed)).toThrow(
      new Error('Unnamed.part: name its type in the declaration'),
    );
    class Named {
      @Shown('A text or null.', { type: 'text', isNullable: true }) readonly part!: string | null;
    }
    expect(shapeOf(Named).fields['part']?.value).toMatchObject({ is: 'nullable' });
  });

  it('stops with its name where the declaration names no type: an object and a list', () => {
    class OfTime {
      @untyped(Shown('A time.')) readonly at!: Date;
    }
    class OfTexts {
      @untyped(Shown('Texts.', { isList: true })) readonly tags!: readonly string[];
    }
    expect(() => shapeOf(OfTime)).toThrow('OfTime.at: name its type');
    expect(() => shapeOf(OfTexts)).toThrow('OfTexts.tags: name its type');
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

  it('counts in both orders of the decorators, and where it is meant for plain objects alone', () => {
    class Note {
      @Shown('The dealership.', { type: 'text', isNullable: true })
      @Exclude()
      readonly dealer!: string | null;
      @Exclude({ toPlainOnly: true })
      @Withheld('The words.', { type: 'text' })
      readonly words!: string | null;
    }
    expect(redacted(Note, { dealer: 'Redwood', words: 'Redwood' }, 'session')).toEqual({
      dealer: null,
      words: null,
    });
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

  it('withholds a property of the base class from every heir', () => {
    class Base {
      @Exclude()
      @Shown('The dealership.', { type: 'text', isNullable: true })
      readonly dealer!: string | null;
    }
    class Heir extends Base {
      @Shown('Its topic.') readonly topic!: string;
    }
    const given = { dealer: 'Redwood', topic: 'price' };
    expect(redacted(Heir, given, 'session')).toEqual({ dealer: null, topic: 'price' });
  });
});

describe('a decorator of a team', () => {
  it('is shared by two classes, which do not share their fields', () => {
    const CENTS = { type: 'integer', isNullable: true } as const;
    const Cents = (description: string) => Shown(description, CENTS);
    const Words = Withheld('The words.', { type: 'text' });
    class First {
      @Cents('Its price.') readonly price!: number | null;
      @Words readonly words!: string | null;
    }
    class Second {
      @Cents('Its fee.') readonly fee!: number | null;
      @Words readonly note!: string | null;
    }
    expect(Object.keys(shapeOf(First).fields)).toEqual(['price', 'words']);
    expect(Object.keys(shapeOf(Second).fields)).toEqual(['fee', 'note']);
    expect(shapeOf(Second).fields['fee']).toMatchObject({ description: 'Its fee.', forms: SAME });
    expect(shapeOf(Second).fields['note']).toEqual(shapeOf(First).fields['words']);
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
