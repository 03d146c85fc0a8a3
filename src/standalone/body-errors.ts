import type { OpenAPIObject } from '@nestjs/swagger';
import { responseOfStatus, type DocumentedError } from '../endpoint/endpoint-documentation.js';
import { errorMessage } from '../kernel/error-catalogue.js';
import { operationsOf, type Operation } from '../openapi/document-operations.js';

const REJECTED = { code: 'invalid_request', message: errorMessage('invalid_request') };
/** What the body parser of the standalone application rejects. That of a host differs. */
const BODY_ERRORS: readonly DocumentedError[] = [
  { ...REJECTED, status: 413, description: 'The body is over 64 KiB.' },
  { ...REJECTED, status: 415, description: 'The body is not `application/json` in UTF-8.' },
];
const BODY_ERROR_RESPONSES = Object.fromEntries(
  BODY_ERRORS.map((error) => [error.status, responseOfStatus(error.status, [error])]),
);

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
