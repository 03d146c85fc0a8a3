import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { RouteDiscovery } from '../http/route-discovery.js';
import type { Principal } from '../kernel/principal.js';
import { CustomFieldRegistry, fieldPath, fieldsOf, reachableDtos } from './field.js';
import { audienceOf, composeRedaction, type Redact } from './redact.js';
import { RedactionRules } from './redaction-rules.js';
import { ResponseClass } from './response-class.decorator.js';

/** Redacts results by the declarations of their fields and the host application's rules. */
@Injectable()
export class ResponseRedaction implements OnModuleInit {
  readonly #composed = new Map<Type, Map<string, Redact>>();

  constructor(
    private readonly rules: RedactionRules,
    private readonly discovery: RouteDiscovery,
    private readonly added: CustomFieldRegistry,
  ) {}

  /**
   * Checks the response classes and the rules. A rule can hide only nullable and optional fields,
   * because every client can handle their absence.
   *
   * @throws {Error} naming each response class without fields, and each field of a rule that does
   *   not exist or cannot be hidden.
   */
  onModuleInit(): void {
    const declared = this.discovery.declarations(ResponseClass).map(({ value }) => value);
    const dtos = reachableDtos(declared);
    const empty = dtos
      .filter((dto) => Object.keys(fieldsOf(dto)).length === 0)
      .map(
        ({ name }) => `${name}: declare its fields, for example with @Shown, or nothing is sent`,
      );
    const hideable = dtos.flatMap((dto): string[] =>
      Object.entries({ ...fieldsOf(dto), ...this.added.get(dto) })
        .filter(([, { type }]) => type.isOptional || type.isNullable)
        .map(([name]) => fieldPath(dto, name)),
    );
    const unknown = this.rules.rules
      .flatMap(({ fields = [] }) => fields)
      .filter((path) => !hideable.includes(path))
      .map((path) => `redactionRules: ${path} is not a nullable or optional field of a response`);
    const problems = [...empty, ...unknown];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /**
   * Redacts a result for a principal.
   *
   * @throws when a rule fails, or the result does not match its DTO; nothing may be sent then.
   */
  redact(result: unknown, dto: Type, principal: Principal): object {
    // Computed before a rule gets the principal.
    const audience = audienceOf(principal);
    const hidden = this.rules.hiddenFrom(principal).fields;
    const replaced = this.rules.replacedFor(principal);
    if (replaced.size > 0) {
      // Replacements belong to one principal, so this redaction is not kept.
      return composeRedaction(dto, audience, hidden, this.added, replaced)(result) as object;
    }
    const key = [audience, ...[...hidden].sort()].join(' ');
    const redactions = this.#composed.get(dto) ?? new Map<string, Redact>();
    const redact = redactions.get(key) ?? composeRedaction(dto, audience, hidden, this.added);
    this.#composed.set(dto, redactions.set(key, redact));
    return redact(result) as object;
  }
}
