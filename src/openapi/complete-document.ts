import type { INestApplicationContext } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { CustomFieldRegistry } from '../redaction/field.js';
import { addCustomFields } from './custom-field-schemas.js';
import { addRateLimits } from './rate-class-limits.js';
import { withSecuritySchemes } from './security-schemes.js';

/**
 * Completes the document of an application that imports `DealSetsModule`. It adds what
 * `SwaggerModule.createDocument` cannot read from decorators: the custom fields of rows and
 * entries, the limits of the rate classes in `x-rate-class`, and the security schemes `session`,
 * `dealSetsBearer` and, if the settings contain its addresses, `oauth`.
 *
 * @param document the result of `SwaggerModule.createDocument`; it is not changed.
 * @returns the completed document.
 * @throws {Error} when the version of the document is not OpenAPI 3.1, when the document has a
 *   security scheme with one of these names, or when the application does not import
 *   `DealSetsModule`.
 */
export function completeOpenApiDocument(
  app: INestApplicationContext,
  document: OpenAPIObject,
): OpenAPIObject {
  if (!document.openapi.startsWith('3.1')) {
    const advice = "set it with new DocumentBuilder().setOpenAPIVersion('3.1.0')";
    throw new Error(`OpenAPI ${document.openapi}: the schemas of the service need 3.1: ${advice}`);
  }
  const completed = withSecuritySchemes(app, document);
  addCustomFields(completed, app.get(CustomFieldRegistry));
  addRateLimits(completed, app.get(RateLimits));
  return completed;
}
