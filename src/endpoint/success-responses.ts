import { Injectable, RequestMethod } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { documentSuccess } from './endpoint-documentation.js';
import { EndpointRegistry } from './endpoint-registry.js';

/**
 * Handlers that are already documented. They are remembered because a process may create more than
 * one application.
 */
const documented = new WeakSet<() => unknown>();

/**
 * Adds the success response of each endpoint to its API description, under the status that Nest
 * sends: that of `@HttpCode`, otherwise the default of the HTTP method.
 *
 * `@Endpoint` cannot add it, because decorators above `@Endpoint` have not run yet. The constructor
 * adds it, because a host application may create its document before the modules are initialized.
 */
@Injectable()
export class SuccessResponses {
  constructor(registry: EndpointRegistry) {
    for (const { route, policy } of registry.endpoints) {
      const { controller, handler, method } = route;
      if (documented.has(handler)) continue;
      documented.add(handler);
      const document = documentSuccess(policy, statusOf(handler));
      document(controller.prototype as object, method, { value: handler });
    }
  }
}

function statusOf(handler: () => unknown): number {
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
  return declared ?? (method === RequestMethod.POST ? 201 : 200);
}
