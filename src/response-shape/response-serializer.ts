import type { OnModuleInit } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import {
  audienceOf,
  compileSerializer,
  type Audience,
  type Serialize,
} from './compile-serializer.js';
import type { AnyShape } from './field.js';
import { hidesFrom, type FieldRule } from './field-rule.js';
import { ShapeAdditions } from './shape-additions.js';
import { fieldPath, isHideable, reachableShapes } from './walk.js';

const NOTHING: ReadonlySet<string> = new Set();
/** Rules name few sets of fields; should one name ever new ones, they are compiled anew. */
const COMPILED_MAX = 256;

/** Serializes responses, each for its principal: by the fields' declarations and by the team's rules. */
export class ResponseSerializer implements OnModuleInit {
  readonly #compiled = new Map<AnyShape, Map<string, Serialize>>();

  /** @param roots the shapes of all responses: their fields are those that a rule may name. */
  constructor(
    private readonly rules: readonly FieldRule[],
    private readonly roots: () => readonly AnyShape[],
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

  /** @throws when a rule fails: nothing must be sent then. */
  write(shape: AnyShape, result: unknown, principal: Principal): string {
    return this.#serializer(shape, principal)(result);
  }

  #serializer(shape: AnyShape, principal: Principal): Serialize {
    // Decided before a rule has had the principal in its hands.
    const audience = audienceOf(principal);
    const hidden = this.rules.length === 0 ? NOTHING : this.#hiddenFrom(principal);
    const key = hidden.size > 0 ? `${audience} ${[...hidden].sort().join(' ')}` : audience;
    const compiled = this.#compiledOf(shape);
    return compiled.get(key) ?? this.#compile(shape, audience, hidden, key, compiled);
  }

  #compiledOf(shape: AnyShape): Map<string, Serialize> {
    let compiled = this.#compiled.get(shape);
    if (!compiled) {
      compiled = new Map();
      this.#compiled.set(shape, compiled);
    }
    return compiled;
  }

  #compile(
    shape: AnyShape,
    audience: Audience,
    hidden: ReadonlySet<string>,
    key: string,
    compiled: Map<string, Serialize>,
  ): Serialize {
    const serialize = compileSerializer(this.additions.of(shape), audience, hidden);
    if (compiled.size >= COMPILED_MAX) compiled.clear();
    compiled.set(key, serialize);
    return serialize;
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

function hideableFields(roots: readonly AnyShape[]): ReadonlySet<string> {
  return new Set(
    reachableShapes(roots).flatMap((shape) =>
      Object.entries(shape.fields)
        .filter(([, field]) => isHideable(field))
        .map(([name]) => fieldPath(shape, name)),
    ),
  );
}
