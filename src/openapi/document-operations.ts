import type { OpenAPIObject } from '@nestjs/swagger';

/** One of an operation's alternative requirements: the scopes, by the name of a security scheme. */
export type SecurityRequirement = Readonly<Record<string, string[]>>;

/** The members of a schema that contain or refer to other schemas. */
export interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping?: Readonly<Record<string, string>>;
  };
}

/** The content of a response by media type. */
interface ResponseDescription {
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: Schema;
        readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
      }
    >
  >;
}

/** The members of an operation that are read, added to or replaced. */
export interface Operation {
  readonly summary?: string;
  readonly requestBody?: object;
  responses?: Readonly<Record<string, ResponseDescription>>;
  security?: SecurityRequirement[];
  'x-rate-class'?: unknown;
}

/** Returns the operations of all paths. */
export function operationsOf(paths: OpenAPIObject['paths']): Operation[] {
  return Object.values(paths).flatMap((path) => Object.values(path) as Operation[]);
}

/**
 * Replaces the security requirements of all operations.
 *
 * @param replace returns the requirements that replace one requirement; an empty list removes it.
 */
export function replaceSecurity(
  { paths }: OpenAPIObject,
  replace: (requirement: SecurityRequirement) => SecurityRequirement[],
): void {
  for (const operation of operationsOf(paths)) {
    if (operation.security) operation.security = operation.security.flatMap(replace);
  }
}
