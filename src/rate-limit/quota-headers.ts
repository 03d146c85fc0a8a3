import type { ServerResponse } from 'node:http';
import type { Quota } from './rate-limits.js';

/** Header with limit and window (draft-ietf-httpapi-ratelimit-headers-11, section 3). */
const POLICY_HEADER = 'RateLimit-Policy';
/** Header with the remaining requests (draft-ietf-httpapi-ratelimit-headers-11, section 4). */
const QUOTA_HEADER = 'RateLimit';

/**
 * Writes the quota as structured fields, for example `RateLimit-Policy: "read";q=120;w=60` and
 * `RateLimit: "read";r=117;t=60`. The draft may still change; no other code depends on its form.
 */
export function writeQuotaHeaders(response: ServerResponse, quota: Quota): void {
  const { rateClass, limit, windowSeconds, remaining, resetSeconds } = quota;
  const name = `"${rateClass.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  response.setHeader(POLICY_HEADER, `${name};q=${limit};w=${windowSeconds}`);
  response.setHeader(QUOTA_HEADER, `${name};r=${remaining};t=${resetSeconds}`);
}
