import { Injectable, type Type } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import { CustomFieldRegistry, fieldPath, fieldsOf, reachableDtos } from './field.js';
import { audienceOf, composeRedaction, type Redact } from './field-redaction.js';
import { HiddenFields } from './hidden-fields.js';

/**
 * Redacts results by the declarations of their fields and the fields that the application hides.
 */
@Injectable()
export class ResponseRedaction {
  readonly #composed = new Map<Type, Map<string, Redact>>();

  constructor(
    private readonly hiddenFields: HiddenFields,
    private readonly added: CustomFieldRegistry,
  ) {}

  /**
   * Returns a problem for each of these response classes, and those within them, that has no
   * fields, and for each field of a rule that does not exist or cannot be hidden. A rule can hide
   * only nullable and optional fields, because every client can handle their absence.
   */
  problemsOf(responses: readonly Type[]): string[] {
    const dtos = reachableDtos(responses);
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
    const unknown = this.hiddenFields.named
      .filter((path) => !hideable.includes(path))
      .map((path) => `redactionRules: ${path} is not a nullable or optional field of a response`);
    return [...empty, ...unknown];
  }

  /**
   * Redacts a result for a principal.
   *
   * @throws when a rule fails, or the result does not match its DTO; nothing may be sent then.
   */
  redact(result: unknown, dto: Type, principal: Principal): object {
    // The audience is determined first, so that no rule can influence it.
    const audience = audienceOf(principal);
    const hidden = this.hiddenFields.fieldsHiddenFrom(principal);
    const key = [audience, ...[...hidden].sort()].join(' ');
    const redactions = this.#composed.get(dto) ?? new Map<string, Redact>();
    const redact = redactions.get(key) ?? composeRedaction(dto, audience, hidden, this.added);
    this.#composed.set(dto, redactions.set(key, redact));
    return redact(result) as object;
  }
}
