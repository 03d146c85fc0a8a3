import type { Principal } from '../../kernel/principal.js';
import { ANSWERS } from '../wire/answers.js';
import type { AnyShape } from '../wire/field.js';
import { fieldPath, isHideable, reachableShapes } from '../wire/walk.js';
import { audienceOf, redactingWriter, type Write } from './redacting-writer.js';
import type { RedactionRule } from './redaction-rule.js';

const NOTHING: ReadonlySet<string> = new Set();
/** Rules name few sets of fields; should one name ever new ones, they are compiled anew. */
const COMPILED_MAX = 256;

/** The fields a rule may name. */
const HIDEABLE: ReadonlySet<string> = new Set(
  reachableShapes(ANSWERS).flatMap((shape) =>
    Object.entries(shape.fields)
      .filter(([, field]) => isHideable(field))
      .map(([name]) => fieldPath(shape, name)),
  ),
);

/** Writes answers, each for its reader: by the fields' declarations and by the team's rules. */
export class AnswerWriter {
  readonly #compiled = new Map<string, Write>();

  constructor(private readonly rules: readonly RedactionRule[]) {}

  /** @throws when a rule fails: nothing must be sent then. */
  write(shape: AnyShape, answer: unknown, principal: Principal): string {
    return this.#writer(shape, principal)(answer);
  }

  #writer(shape: AnyShape, principal: Principal): Write {
    // Settled before a rule has had the principal in its hands.
    const audience = audienceOf(principal);
    const hidden = this.rules.length === 0 ? NOTHING : this.#hiddenFrom(principal);
    const key = `${shape.name} ${audience}${hidden.size > 0 ? ` ${[...hidden].sort().join(' ')}` : ''}`;
    let write = this.#compiled.get(key);
    if (!write) {
      write = redactingWriter(shape, audience, hidden);
      if (this.#compiled.size >= COMPILED_MAX) this.#compiled.clear();
      this.#compiled.set(key, write);
    }
    return write;
  }

  #hiddenFrom(principal: Principal): ReadonlySet<string> {
    const hidden = new Set<string>();
    for (const rule of this.rules) {
      for (const path of rule.fieldsToHide(principal)) {
        if (!HIDEABLE.has(path))
          throw new Error('a redaction rule names a field that cannot be hidden');
        hidden.add(path);
      }
    }
    return hidden;
  }
}
