import { header, type RawAnswer } from './raw-http.js';

const CONSTANT_HEADERS: readonly (readonly [string, string])[] = [
  ['cache-control', 'private, no-store'],
  ['service-api-version', '2026-10-13'],
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
];

const FORBIDDEN_HEADERS =
  /^(etag|last-modified|set-cookie|x-powered-by|server|access-control-.*|transfer-encoding)$/;

/** Asserts what holds of every answer: contract headers once each, nothing of what has no place. */
export function expectContractAnswer(answer: RawAnswer, method = 'GET'): void {
  for (const [name, value] of CONSTANT_HEADERS) {
    expect(answer.headers.filter(([key]) => key === name)).toEqual([[name, value]]);
  }
  expect(header(answer, 'service-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(header(answer, 'content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
  const names = answer.headers.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => FORBIDDEN_HEADERS.test(name))).toEqual([]);
  if (method === 'HEAD') return;
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  expect(Object.keys(body)).toEqual([answer.status === 200 ? 'data' : 'error']);
}

/** Asserts an error answer: the envelope with this code, and the headers that go with the code. */
export function expectError(answer: RawAnswer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expectContractAnswer(answer);
  const { error } = JSON.parse(answer.body) as { error: Record<string, unknown> };
  expect(error).toEqual({ code, message: expect.stringMatching(/\S/) as string });
  expect(header(answer, 'www-authenticate')).toBe(
    {
      unauthenticated: 'Bearer error="invalid_token"',
      insufficient_scope: 'Bearer error="insufficient_scope", scope="offers:read"',
    }[code],
  );
}
