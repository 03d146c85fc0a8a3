import type { OnModuleInit, Type } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import { audienceOf, composeRedaction, type Audience, type Redact } from './redact.js';
import { shapeOf } from './shape-of.js';
import type { Shape } from './field.js';
import { hidesFrom, type FieldRule } from './field-rule.js';
import { ShapeAdditions } from './shape-additions.js';
import { fieldPath, isHideable, reachableShapes } from './walk.js';

const NOTHING: ReadonlySet<string> = new Set();
/** Rules name few sets of fields; should one name ever new ones, they are composed anew. */
const COMPOSED_MAX = 256;

/** Redacts responses, each for its principal: by the fields' declarations and by the team's rules. */
export class ResponseRedaction implements OnModuleInit {
  readonly #composed = new Map<Shape, Map<string, Redact>>();

  /** @param roots the shapes of all responses: their fields are those that a rule may name. */
  constructor(
    private readonly rules: readonly FieldRule[],
    private readonly roots: () => readonly Shape[],
    private readonly additions = new ShapeAdditions(),
  ) {}

  /** @throws {Error} naming each field of a rule that does not exist or has no form without its value. */
  onModuleInit(): void {
    const hideable = hideableFields(this.roots());
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
    return this.#redactionOf(shapeOf(dto), principal)(result);
  }

  #redactionOf(shape: Shape, principal: Principal): Redact {
    // Decided before a rule has had the principal in its hands.
    const audience = audienceOf(principal);
    const hidden = this.rules.length === 0 ? NOTHING : this.#hiddenFrom(principal);
    const key = hidden.size > 0 ? `${audience} ${[...hidden].sort().join(' ')}` : audience;
    const composed = this.#composedOf(shape);
    return composed.get(key) ?? this.#compose(shape, audience, hidden, key, composed);
  }

  #composedOf(shape: Shape): Map<string, Redact> {
    let composed = this.#composed.get(shape);
    if (!composed) {
      composed = new Map();
      this.#composed.set(shape, composed);
    }
    return composed;
  }

  #compose(
    shape: Shape,
    audience: Audience,
    hidden: ReadonlySet<string>,
    key: string,
    composed: Map<string, Redact>,
  ): Redact {
    const redact = composeRedaction(this.additions.of(shape), audience, hidden);
    if (composed.size >= COMPOSED_MAX) composed.clear();
    composed.set(key, redact);
    return redact;
  }

  #hiddenFrom(principal: Principal): ReadonlySet<string> {
    const hidden = new Set<string>();
    for (const rule of this.rules) {
      if (rule.hide.length > 0 && hidesFrom(rule, principal)) {
        for (const path of rule.hide) hidden.add(path);
      }
    }
    return hidden;
  }
}

function hideableFields(roots: readonly Shape[]): ReadonlySet<string> {
  return new Set(
    reachableShapes(roots).flatMap((shape) =>
      Object.entries(shape.fields)
        .filter(([, field]) => isHideable(field))
        .map(([name]) => fieldPath(shape, name)),
    ),
  );
}
