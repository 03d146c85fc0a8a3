import { READ_SCOPE } from '../kernel/principal.js';
import { DEMO_BUYER_ID, DEMO_CLIENTS, DEMO_SETS, OTHER_SCOPE } from './demo-people.js';

const DAY_SECONDS = 86_400;
const SINCE_HOURS = 5;
const HOUR_MS = 3_600_000;

/** What the guide's lines are filled with. */
export interface DemoGuide {
  /** Address of the service, without a slash at its end. */
  readonly url: string;
  readonly cookie: string;
  readonly tokens: DemoTokens;
}

/** Access tokens of the demo buyer's assistants. */
export interface DemoTokens {
  readonly approved: string;
  readonly hosted: string;
  readonly revoked: string;
  readonly withoutScope: string;
}

/** What a token of the demo says. */
export interface DemoToken {
  readonly buyerId: string;
  readonly clientId: string;
  readonly scope: string;
  readonly ttlSeconds: number;
}

/** @param issue signs a token with the key that the service checks it by. */
export async function demoTokens(
  issue: (token: DemoToken) => Promise<string>,
): Promise<DemoTokens> {
  const token = (clientId: string, scope = READ_SCOPE): Promise<string> =>
    issue({ buyerId: DEMO_BUYER_ID, clientId, scope, ttlSeconds: DAY_SECONDS });
  return {
    approved: await token(DEMO_CLIENTS.approved),
    hosted: await token(DEMO_CLIENTS.hosted),
    revoked: await token(DEMO_CLIENTS.revoked),
    withoutScope: await token(DEMO_CLIENTS.withoutScope, OTHER_SCOPE),
  };
}

/**
 * What `demo` prints: lines to paste into a second terminal, each with what it shows. Every line is
 * complete, so that it works in any shell.
 */
export function demoGuide({ url, cookie, tokens }: DemoGuide): string {
  const since = new Date(Date.now() - SINCE_HOURS * HOUR_MS).toISOString();
  const list = `${url}/api/v1/deal-sets`;
  const one = `${list}/${DEMO_SETS.ready}`;
  const others = `${list}/${DEMO_SETS.others}`;
  const buyer = `-H 'Cookie: ${cookie}'`;
  const bearer = (token: string): string => `-H 'Authorization: Bearer ${token}'`;
  return `
The demo is running at ${url}. Ctrl+C stops it; its data stays in .data/.

Paste these into a second terminal. To format a response, append this to a line:
  | node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)), null, 2)'

1. The buyer: her requests, then one deal set. She sees the names of dealerships that she
   unlocked or chose, the distances, her ZIP code, and what the dealerships ask her.

curl -s ${buyer} ${list}
curl -s ${buyer} ${one}

2. An assistant that she approved: the same, without any name, distance or word of hers.

curl -s ${bearer(tokens.approved)} ${list}
curl -s ${bearer(tokens.approved)} ${one}

3. A hosted assistant does not get the Verified partner flag either.

curl -s ${bearer(tokens.hosted)} ${one}

4. Polling: what is new since a moment. Pass Service-As-Of on as the next since, until
   Service-More is false. This buyer lets assistants see each request's changes.

curl -si ${bearer(tokens.approved)} '${list}?since=${since}'

5. Refusals: signed out (401), a revoked approval (401), an assistant
   that may not read offers (403), another buyer's deal set (404).

curl -si ${list}
curl -si ${bearer(tokens.revoked)} ${list}
curl -si ${bearer(tokens.withoutScope)} ${list}
curl -si ${buyer} ${others}

The API is described at ${url}/api/v1/openapi.json.
`;
}
