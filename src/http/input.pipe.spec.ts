import { Allow, IsOptional, IsString } from 'class-validator';
import { AppError } from '../kernel/app-error.js';
import { InputPipe } from './input.pipe.js';

class AllOptional {
  @IsOptional()
  @IsString()
  readonly text?: string;
}

class OneRequired extends AllOptional {
  @IsString()
  readonly name!: string;
}

class WithDefault {
  @IsOptional()
  @IsString()
  readonly text: unknown = 1;
}

class Unchecked {
  @Allow()
  readonly anything: unknown;
}

const pipe = new InputPipe();
const query = (metatype: new () => object, value: unknown): unknown =>
  pipe.transform(value, { type: 'query', metatype });

describe('InputPipe', () => {
  it('takes an empty query where every property is optional', () => {
    expect(query(AllOptional, {})).toEqual(new AllOptional());
    expect(query(AllOptional, {})).toBeInstanceOf(AllOptional);
  });

  it('checks a value that is there', () => {
    expect(query(AllOptional, { text: 'a' })).toEqual({ text: 'a' });
    expect(() => query(AllOptional, { text: ['a', 'b'] })).toThrow(AppError);
  });

  it('refuses an empty query where a property is required, its own or an inherited one', () => {
    class Inherits extends OneRequired {}
    for (const dto of [OneRequired, Inherits]) expect(() => query(dto, {})).toThrow(AppError);
  });

  it('checks a default', () => expect(() => query(WithDefault, {})).toThrow(AppError));

  it('leaves out what a DTO does not name', () => {
    expect(query(AllOptional, { other: 'a' })).toEqual({});
    expect(query(Unchecked, { anything: [1], other: 2 })).toEqual({ anything: [1] });
  });

  it.each([[null], ['a'], [[]]])('refuses %j in place of an object', (value) =>
    expect(() => query(AllOptional, value)).toThrow(AppError),
  );

  it('passes on what is no DTO', () => {
    expect(pipe.transform('a', { type: 'query', metatype: String })).toBe('a');
    expect(pipe.transform('a', { type: 'param', metatype: AllOptional })).toBe('a');
  });
});
