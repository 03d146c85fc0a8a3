import type { OpenAPIObject } from '@nestjs/swagger';
import { BODY_ERROR_RESPONSES } from '../endpoint/endpoint-documentation.js';
import { operationsOf, type Operation } from '../openapi/document-operations.js';

/**
 * Adds the errors of the standalone application's body parser to each endpoint that reads a body.
 */
export function addBodyErrors({ paths }: OpenAPIObject): void {
  for (const operation of operationsOf(paths)) {
    const isEndpoint = operation['x-rate-class'] !== undefined;
    if (!isEndpoint || operation.requestBody === undefined) continue;
    const responses = structuredClone(BODY_ERROR_RESPONSES) as Operation['responses'];
    operation.responses = { ...responses, ...operation.responses };
  }
}
