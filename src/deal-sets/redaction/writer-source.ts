import type { AnyShape, Field, Value } from '../wire/field.js';
import { fieldPath, wordOf } from '../wire/walk.js';
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
      let body = `if (typeof v !== 'object' || v === null) return refuse('an object');\n  let json = '{';\n`;
      // Whether a field stands before: until a required one does, only the text so far can tell.
      let isFollowing = false;
      for (const [name, field] of Object.entries(shape.fields)) {
        const place = `v[${JSON.stringify(name)}]`;
        const written = this.#fieldAt(field, place, this.hidden.has(fieldPath(shape, name)));
        if (written === undefined) continue;
        const key = `${JSON.stringify(name)}:`;
        const start = isFollowing
          ? JSON.stringify(`,${key}`)
          : `(json === '{' ? '' : ',') + ${JSON.stringify(key)}`;
        body += `  ${field.isOptional ? `if (${place} !== undefined) ` : ''}json += ${start} + ${written};\n`;
        isFollowing ||= !field.isOptional;
      }
      return `${body}  return json + '}';`;
    });
  }

  /** Undefined: the field is not written at all. */
  #fieldAt(field: Field, place: string, isHidden: boolean): string | undefined {
    if (isHidden) return field.isOptional ? undefined : `'null'`;
    if (this.audience !== 'session') {
      if (field.assistant === 'null') return `'null'`;
      if (field.assistant === 'false') return `'false'`;
      if (field.assistant === 'unless-hosted' && this.audience === 'hosted-assistant')
        return undefined;
    }
    return this.#valueAt(field.value, place);
  }

  /** An expression that writes the value found at a place. */
  #valueAt(value: Value, place: string): string {
    if (value.is === 'nullable')
      return `(${place} === null ? 'null' : ${this.#valueAt(value.of, place)})`;
    return value.is === 'list'
      ? `list(${place}, ${this.#writerOfValue(value.of)})`
      : `${this.#writerOfValue(value)}(${place})`;
  }

  #writerOfValue(value: Value): string {
    switch (value.is) {
      case 'leaf':
        return value.type;
      case 'object':
        return this.writerOf(value.shape);
      case 'one-of':
        return this.#named(value, () => {
          const cases = value.shapes.map((shape) => {
            const word = JSON.stringify(wordOf(shape, value.discriminator));
            return `    case ${word}: return ${this.writerOf(shape)}(v);\n`;
          });
          const word = `v?.[${JSON.stringify(value.discriminator)}]`;
          return `switch (${word}) {\n${cases.join('')}  }\n  return refuse('a known kind');`;
        });
      default:
        return this.#named(value, () => `return ${this.#valueAt(value, 'v')};`);
    }
  }

  #named(what: unknown, body: () => string): string {
    const known = this.#names.get(what);
    if (known !== undefined) return known;
    const name = `write${this.#names.size}`;
    this.#names.set(what, name);
    this.#functions.push(`function ${name}(v) {\n  ${body()}\n}\n`);
    return name;
  }
}
