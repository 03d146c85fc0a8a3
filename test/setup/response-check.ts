import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { HOST } from './host-application.js';
import type { HttpResponse } from './http-call.js';

/** `ETag` and `X-Powered-By` belong to a host application on Express. */
const ABSENT_HEADERS =
  HOST === 'express'
    ? ['set-cookie', 'access-control-allow-origin']
    : ['etag', 'set-cookie', 'x-powered-by', 'access-control-allow-origin'];

/** The part of the API description that says which headers a response has. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: DocumentedOperation }>>;
}
interface DocumentedOperation {
  readonly responses: Readonly<Record<number, DocumentedResponse>>;
}
interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
}

/**
 * Checks responses against the API description that the service itself serves: the status is
 * documented for the operation, the body validates, no required header is missing, and every
 * response has the contract's headers.
 */
export class ResponseCheck {
  /**
   * Cached by the text of the description, because compiling its schemas takes longer than most
   * tests.
   */
  static readonly #made = new Map<string, ResponseCheck>();

  /** @param description the API description, as the service sends it. */
  static forDescription(description: string): ResponseCheck {
    const check = this.#made.get(description) ?? new ResponseCheck(description);
    this.#made.set(description, check);
    return check;
  }

  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  /** The paths of the description, and the targets that each one describes. */
  readonly #operations: readonly (readonly [path: string, targets: RegExp])[];

  private constructor(description: string) {
    addFormats.default(this.#ajv);
    this.#description = JSON.parse(description) as Description;
    this.#ajv.addSchema({ ...this.#description, $id: 'api' });
    this.#operations = Object.keys(this.#description.paths)
      // A path without parameters precedes one with parameters that also matches.
      .sort((left, right) => left.split('{').length - right.split('{').length)
      .map((path) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)]);
  }

  check(method: string, target: string, response: HttpResponse): void {
    const { headers, status } = response;
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['service-api-version']).toBe('2026-10-13');
    for (const absent of ABSENT_HEADERS) expect(headers[absent]).toBeUndefined();
    if (method === 'HEAD') {
      expect(response.text).toBe('');
      return;
    }
    expect(headers['content-type']).toMatch(/^application\/json/);
    const body = JSON.parse(response.text) as { error?: { code: string; message: string } };
    if (status === 200) {
      expect(body).not.toHaveProperty('error');
    } else {
      expect(body).not.toHaveProperty('data');
      expect(body.error?.code).toEqual(expect.any(String));
      expect(body.error?.message).not.toBe('');
      expect(headers['service-as-of']).toBeUndefined();
      expect(headers['service-more']).toBeUndefined();
    }
    const [operation] = this.#operations.find(([, pattern]) => pattern.test(target)) ?? [];
    if (method !== 'GET' || operation === undefined) return;
    const validate = this.#validator(operation, status);
    if (!validate(body))
      throw new Error(`${method} ${target} ${status}: ${this.#ajv.errorsText(validate.errors)}`);
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining(this.#requiredHeaders(operation, status)),
    );
  }

  /** Returns the names of the headers in lower case. */
  #requiredHeaders(operation: string, status: number): string[] {
    const { headers = {} } = this.#description.paths[operation]?.get?.responses[status] ?? {};
    const required = Object.entries(headers).filter(([, header]) => header.required);
    return required.map(([name]) => name.toLowerCase());
  }

  /** Throws when the description has no such response. */
  #validator(operation: string, status: number): ValidateFunction {
    const path = encodeURIComponent(operation.replaceAll('/', '~1'));
    const schema = `api#/paths/${path}/get/responses/${status}/content/application~1json/schema`;
    const validate = this.#ajv.getSchema(schema);
    if (!validate) throw new Error(`${operation} ${status} is not documented`);
    return validate;
  }
}
