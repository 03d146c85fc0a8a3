import type { PrincipalType } from '../kernel/principal.js';
import type { AnyShape, Field, Form, Value } from './field.js';
import { fieldPath, wordOf } from './walk.js';
import { JsonStatements } from './json-statements.js';
import type { Audience } from './compile-serializer.js';

/** The principal type behind each audience, and whether it is hosted. */
const AUDIENCES: Readonly<Record<Audience, { type: PrincipalType; isHosted: boolean }>> = {
  session: { type: 'session', isHosted: false },
  assistant: { type: 'assistant', isHosted: false },
  'hosted-assistant': { type: 'assistant', isHosted: true },
};

/** Who sees what, as the text of JavaScript functions that write JSON: one for each shape. */
export class SerializerSource {
  readonly #functions: string[] = [];
  readonly #names = new Map<unknown, string>();

  readonly #type: PrincipalType;
  readonly #isHosted: boolean;

  constructor(
    audience: Audience,
    private readonly hidden: ReadonlySet<string>,
  ) {
    ({ type: this.#type, isHosted: this.#isHosted } = AUDIENCES[audience]);
  }

  /** The functions asked for so far, with those they call. */
  get text(): string {
    return this.#functions.join('');
  }

  /** @returns the name of the function that writes an object of the shape. */
  writerOf(shape: AnyShape): string {
    return this.#named(shape, () => {
      const out = new JsonStatements();
      out.constant('{');
      // Whether a comma precedes a field: before the first required one only the text so far decides it.
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
    return this.#isHosted && this.#formOf(field) === 'unless-hosted';
  }

  #writeField(out: JsonStatements, field: Field, place: string, isHidden: boolean): void {
    const form = this.#formOf(field);
    if (isHidden || form === 'null') out.constant('null');
    else if (form === 'false') out.constant('false');
    else this.#writeValue(out, field.value, place);
  }

  #formOf(field: Field): Form {
    return field.forms[this.#type];
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
