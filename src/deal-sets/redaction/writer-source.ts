import type { AnyShape, Field, Value } from '../wire/field.js';
import { fieldPath, wordOf } from '../wire/walk.js';
import { JsonStatements } from './json-statements.js';
import type { Audience } from './redacting-writer.js';

/** Who sees what, as the text of JavaScript functions that write JSON: one for each shape. */
export class WriterSource {
  readonly #functions: string[] = [];
  readonly #names = new Map<unknown, string>();

  constructor(
    private readonly audience: Audience,
    private readonly hidden: ReadonlySet<string>,
  ) {}

  /** The functions asked for so far, with those they call. */
  get text(): string {
    return this.#functions.join('');
  }

  /** @returns the name of the function that writes an object of the shape. */
  writerOf(shape: AnyShape): string {
    return this.#named(shape, () => {
      const out = new JsonStatements();
      out.constant('{');
      // Which comma stands before a field: until a required one does, only the text so far can tell.
      let before: 'nothing' | 'perhaps' | 'a field' = 'nothing';
      for (const [name, field] of Object.entries(shape.fields)) {
        const isHidden = this.hidden.has(fieldPath(shape, name));
        if (this.#isLeftOut(field, isHidden)) continue;
        const place = `v[${JSON.stringify(name)}]`;
        const write = (to: JsonStatements): void => {
          if (before === 'perhaps') to.value(`(json === '{' ? '' : ',')`);
          to.constant(`${before === 'a field' ? ',' : ''}${JSON.stringify(name)}:`);
          this.#writeField(to, field, place, isHidden);
        };
        if (field.isOptional) out.either(`${place} !== undefined`, write);
        else write(out);
        if (!field.isOptional) before = 'a field';
        else if (before === 'nothing') before = 'perhaps';
      }
      out.constant('}');
      return `if (typeof v !== 'object' || v === null) return refuse('an object');\n${out.function}`;
    });
  }

  #isLeftOut(field: Field, isHidden: boolean): boolean {
    if (isHidden) return field.isOptional;
    return this.audience === 'hosted-assistant' && field.assistant === 'unless-hosted';
  }

  #writeField(out: JsonStatements, field: Field, place: string, isHidden: boolean): void {
    const isAssistant = this.audience !== 'session';
    if (isHidden || (isAssistant && field.assistant === 'null')) out.constant('null');
    else if (isAssistant && field.assistant === 'false') out.constant('false');
    else this.#writeValue(out, field.value, place);
  }

  /** Writes the value found at a place. */
  #writeValue(out: JsonStatements, value: Value, place: string): void {
    if (value.is === 'nullable') {
      out.either(
        `${place} === null`,
        (to) => to.constant('null'),
        (to) => this.#writeValue(to, value.of, place),
      );
    } else if (value.is !== 'leaf') {
      out.value(`${this.#writerOfValue(value)}(${place})`);
    } else if (value.type === 'boolean') {
      out.either(
        `${place} === true`,
        (to) => to.constant('true'),
        (to) => {
          to.assert(`${place} === false`, 'a boolean');
          to.constant('false');
        },
      );
    } else if (value.type === 'text' || value.type === 'word') {
      out.constant('"');
      out.value(`${value.type}(${place})`);
      out.constant('"');
    } else {
      out.value(`${value.type}(${place})`);
    }
  }

  #writerOfValue(value: Exclude<Value, { is: 'leaf' | 'nullable' }>): string {
    if (value.is === 'object') return this.writerOf(value.shape);
    return this.#named(value, () =>
      value.is === 'list' ? this.#listWriter(value.of) : this.#oneOfWriter(value),
    );
  }

  #listWriter(element: Value): string {
    const out = new JsonStatements();
    out.constant('[');
    out.forEach('v', (to, place) => this.#writeValue(to, element, place));
    out.constant(']');
    return `if (!Array.isArray(v)) return refuse('a list');\n${out.function}`;
  }

  #oneOfWriter({ discriminator, shapes }: Extract<Value, { is: 'one-of' }>): string {
    const cases = shapes.map((shape) => {
      const word = JSON.stringify(wordOf(shape, discriminator));
      return `case ${word}: return ${this.writerOf(shape)}(v);\n`;
    });
    return `switch (v?.[${JSON.stringify(discriminator)}]) {\n${cases.join('')}}\nreturn refuse('a known kind');\n`;
  }

  #named(what: unknown, body: () => string): string {
    const known = this.#names.get(what);
    if (known !== undefined) return known;
    const name = `write${this.#names.size}`;
    this.#names.set(what, name);
    this.#functions.push(`function ${name}(v) {\n${body()}}\n`);
    return name;
  }
}
