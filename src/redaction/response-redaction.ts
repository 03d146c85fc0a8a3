import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { RouteDiscovery } from '../http/route-discovery.js';
import type { Principal } from '../kernel/principal.js';
import { CustomFieldRegistry, fieldPath, fieldsOf, reachableDtos } from './field.js';
import { audienceOf, composeRedaction, type Redact } from './redact.js';
import { Redacted } from './redacted.decorator.js';

/** Hides fields, and what else has a name, from some principals; anything that `from` returns but `false` hides. */
export interface HidingRule {
  readonly hide: readonly string[];
  readonly from: (principal: Principal) => boolean;
}

export const REDACTION_RULES = Symbol('redaction rules');

/** What a principal may have of a result: by the fields' declarations and by the team's rules. */
@Injectable()
export class ResponseRedaction implements OnModuleInit {
  readonly #composed = new Map<Type, Map<string, Redact>>();

  constructor(
    @Inject(REDACTION_RULES) private readonly rules: readonly HidingRule[],
    private readonly discovery: RouteDiscovery,
    private readonly added: CustomFieldRegistry,
  ) {}

  /**
   * A field can be hidden when its absence has a form that every client knows: null, or not there.
   *
   * @throws {Error} naming each field of a rule that does not exist or has no such form.
   */
  onModuleInit(): void {
    const declared = this.discovery.declarations(Redacted).map(({ value }) => value);
    const hideable = reachableDtos(declared).flatMap((dto): string[] =>
      Object.entries({ ...fieldsOf(dto), ...this.added.get(dto) })
        .filter(([, { type }]) => type.isOptional || type.isNullable)
        .map(([name]) => fieldPath(dto, name)),
    );
    const problems = this.rules
      .flatMap(({ hide }) => hide)
      .filter((name) => name.includes('.') && !hideable.includes(name))
      .map((path) => `redactionRules: ${path} is no nullable or optional field of a response`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /** The names that the rules hide from the principal. @throws what a rule throws: nothing must be sent then. */
  hiddenFrom(principal: Principal): ReadonlySet<string> {
    const hiding = this.rules.filter(({ from }) => {
      const answer: unknown = from(principal);
      // Of a promise where none is expected: an unhandled rejection would end a host's process.
      Promise.resolve(answer).catch(() => undefined);
      return answer !== false;
    });
    return new Set(hiding.flatMap(({ hide }) => hide));
  }

  /** @throws when a rule fails, or the result is not what its DTO declares: nothing must be sent then. */
  redact(result: unknown, dto: Type, principal: Principal): unknown {
    // Decided before a rule has had the principal in its hands.
    const audience = audienceOf(principal);
    const hidden = this.hiddenFrom(principal);
    const key = [audience, ...[...hidden].sort()].join(' ');
    const redactions = this.#composed.get(dto) ?? new Map<string, Redact>();
    const redact = redactions.get(key) ?? composeRedaction(dto, audience, hidden, this.added);
    this.#composed.set(dto, redactions.set(key, redact));
    return redact(result);
  }
}
