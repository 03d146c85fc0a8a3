import type { ServerResponse } from 'node:http';

/** What a principal may still do in a rate class. */
export interface Quota {
  readonly rateClass: string;
  /** Requests per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that are left now. */
  readonly remaining: number;
  /** After so many seconds without a request, at most, more is left. */
  readonly resetSeconds: number;
}

/** Names of the quota headers (draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4). */
export const POLICY_HEADER = 'RateLimit-Policy';
export const QUOTA_HEADER = 'RateLimit';

/**
 * Writes the quota as structured fields, for example `RateLimit-Policy: "read";q=120;w=60` and
 * `RateLimit: "read";r=117;t=60`. The draft may still change: this is the one place that writes its form.
 */
export function writeQuotaHeaders(response: ServerResponse, quota: Quota): void {
  const { rateClass, limit, windowSeconds, remaining, resetSeconds } = quota;
  const name = `"${rateClass.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  response.setHeader(POLICY_HEADER, `${name};q=${limit};w=${windowSeconds}`);
  response.setHeader(QUOTA_HEADER, `${name};r=${remaining};t=${resetSeconds}`);
}
