import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { HOST } from './host-application.js';
import type { HttpResponse } from './http-call.js';

type Document = Readonly<{
  paths: Record<string, { get: { responses: Record<string, unknown> } }>;
}>;

/** `ETag` and `X-Powered-By` are a host's on Express. */
const ABSENT_HEADERS =
  HOST === 'express'
    ? ['set-cookie', 'access-control-allow-origin']
    : ['etag', 'set-cookie', 'x-powered-by', 'access-control-allow-origin'];

/**
 * Checks answers against the API description that the service itself serves: the status is documented
 * for the operation, the body validates, and every answer has the contract's headers.
 */
export class AnswerCheck {
  /** By the text of the description: compiling its schemas takes longer than most tests. */
  static readonly #made = new Map<string, AnswerCheck>();

  /** @param description the API description, as the service sends it. */
  static of(description: string): AnswerCheck {
    let check = this.#made.get(description);
    if (!check) {
      check = new AnswerCheck(JSON.parse(description) as Document);
      this.#made.set(description, check);
    }
    return check;
  }

  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(private readonly document: Document) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: 'api' });
  }

  check(method: string, target: string, answer: HttpResponse): void {
    const { headers, status } = answer;
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['service-api-version']).toBe('2026-10-13');
    for (const absent of ABSENT_HEADERS) {
      expect(headers[absent]).toBeUndefined();
    }
    if (method === 'HEAD') {
      expect(answer.text).toBe('');
      return;
    }
    expect(headers['content-type']).toMatch(/^application\/json/);
    const body = JSON.parse(answer.text) as {
      data?: unknown;
      error?: { code: string; message: string };
    };
    if (status === 200) {
      expect(body).not.toHaveProperty('error');
    } else {
      expect(body).not.toHaveProperty('data');
      expect(body.error?.code).toEqual(expect.any(String));
      expect(body.error?.message).not.toBe('');
      expect(headers['service-as-of']).toBeUndefined();
      expect(headers['service-more']).toBeUndefined();
    }
    const path = target.split('?')[0] ?? '';
    const operation =
      path === '/api/v1/deal-sets'
        ? '/api/v1/deal-sets'
        : /^\/api\/v1\/deal-sets\/[^/]+$/.test(path)
          ? '/api/v1/deal-sets/{id}'
          : undefined;
    if (method !== 'GET' || !operation) return;
    const validate = this.#validator(operation, status);
    if (!validate(body)) {
      throw new Error(`${method} ${target} ${status}: ${this.#ajv.errorsText(validate.errors)}`);
    }
  }

  #validator(operation: string, status: number): ValidateFunction {
    const key = `${operation} ${status}`;
    let validate = this.#validators.get(key);
    if (!validate) {
      if (!this.document.paths[operation]?.get.responses[String(status)]) {
        throw new Error(`${key} is not documented`);
      }
      const pointer = [
        'paths',
        operation,
        'get',
        'responses',
        String(status),
        'content',
        'application/json',
        'schema',
      ]
        .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
        .map(encodeURIComponent)
        .join('/');
      validate = this.#ajv.compile({ $ref: `api#/${pointer}` });
      this.#validators.set(key, validate);
    }
    return validate;
  }
}
