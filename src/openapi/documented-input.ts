import type { Type } from '@nestjs/common';
import { ARGUMENT, type EndpointRoute, type RouteArgument } from '../http/endpoint-registry.js';
import { inputFieldsOf } from '../http/input-field.decorator.js';
import type { ErrorReason } from '../kernel/app-error.js';
import type { JsonSchema } from '../response-shape/field.js';

/** The parameters of an endpoint: its path's, then those of its query DTO. */
export function parameters({ arguments: args }: EndpointRoute): JsonSchema[] {
  return [
    ...args.filter(({ kind }) => kind === ARGUMENT.param).map(pathParameter),
    ...queryDtos(args).flatMap((dto) =>
      inputFieldsOf(dto).map(({ name, description, schema, example, isRequired }) => ({
        name,
        in: 'query',
        required: isRequired,
        description,
        schema,
        ...(example !== undefined && { example }),
      })),
    ),
  ];
}

function pathParameter({ name, pipes }: RouteArgument): JsonSchema {
  const documented = pipes.find((pipe) => typeof pipe === 'object' && 'schema' in pipe) as
    { readonly schema: JsonSchema; readonly description?: string } | undefined;
  return {
    name,
    in: 'path',
    required: true,
    ...(documented?.description !== undefined && { description: documented.description }),
    schema: documented?.schema ?? { type: 'string' },
  };
}

/** The causes that the validators of an endpoint's query name. */
export function reasonsOf({ arguments: args }: EndpointRoute): ErrorReason[] {
  return queryDtos(args).flatMap((dto) => inputFieldsOf(dto).flatMap(({ reasons }) => reasons));
}

function queryDtos(args: readonly RouteArgument[]): Type[] {
  return args
    .filter(({ kind, name }) => kind === ARGUMENT.query && name === undefined)
    .map(({ type }) => type)
    .filter((type) => type !== undefined);
}

/** The schema of a body's DTO. */
export function bodySchema(dto: Type): JsonSchema {
  const fields = inputFieldsOf(dto);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, description, schema, example }) => [
        name,
        { ...schema, description, ...(example !== undefined && { examples: [example] }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}
