import type { OnModuleInit, Type } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import { AddedFields, fieldPath, type FieldPath, type Shape } from './field.js';
import { audienceOf, composeRedaction, type Redact } from './redact.js';
import { shapeOf } from './shape-of.js';

/** Rules name few sets of fields; should one name ever new ones, they are composed anew. */
const COMPOSED_MAX = 256;

/** Hides fields from some principals; anything that `from` returns but `false` hides. */
export interface FieldRule {
  readonly hide: readonly FieldPath[];
  readonly from: (principal: Principal) => boolean;
}

/** What the rules hide from the principal, each name once; it throws what a rule throws. */
export function hiddenBy<Name>(
  rules: readonly { readonly hide: readonly Name[]; readonly from: FieldRule['from'] }[],
  principal: Principal,
): ReadonlySet<Name> {
  const hidden = rules.filter(({ hide, from }) => {
    if (hide.length === 0) return false;
    const answer: unknown = from(principal);
    // Of a promise where none is expected: an unhandled rejection would end a host's process.
    Promise.resolve(answer).catch(() => undefined);
    return answer !== false;
  });
  return new Set(hidden.flatMap(({ hide }) => hide));
}

/** Redacts responses, each for its principal: by the fields' declarations and by the team's rules. */
export class ResponseRedaction implements OnModuleInit {
  readonly #composed = new Map<Shape, Map<string, Redact>>();

  /** @param shapes of all responses: their fields are those that a rule may name. */
  constructor(
    private readonly rules: readonly FieldRule[],
    private readonly shapes: () => readonly Shape[],
    private readonly added = new AddedFields(),
  ) {}

  /**
   * A field can be hidden when its absence has a form that every client knows: null, or not there.
   *
   * @throws {Error} naming each field of a rule that does not exist or has no such form.
   */
  onModuleInit(): void {
    const hideable = new Set<string>(
      this.shapes().flatMap((shape) =>
        Object.entries({ ...shape.fields, ...this.added.get(shape) })
          .filter(([, { isOptional, value }]) => isOptional || value.is === 'nullable')
          .map(([name]) => fieldPath(shape, name)),
      ),
    );
    const problems = this.rules
      .flatMap(({ hide }) => hide)
      .filter((path) => !hideable.has(path))
      .map((path) => `redactionRules: ${path} is no nullable or optional field of a response`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /**
   * What the principal may have of a result.
   *
   * @throws when a rule fails, or the result is not what its DTO declares: nothing must be sent then.
   */
  redact(result: unknown, dto: Type, principal: Principal): unknown {
    const shape = shapeOf(dto);
    // Decided before a rule has had the principal in its hands.
    const audience = audienceOf(principal);
    const hidden = hiddenBy(this.rules, principal);
    const key = [audience, ...[...hidden].sort()].join(' ');
    const composed = this.#composed.get(shape) ?? new Map<string, Redact>();
    let redact = composed.get(key);
    if (!redact) {
      redact = composeRedaction(shape, audience, hidden, this.added);
      if (composed.size >= COMPOSED_MAX) composed.clear();
      this.#composed.set(shape, composed.set(key, redact));
    }
    return redact(result);
  }
}
