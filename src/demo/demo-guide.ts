import { DEMO_SETS } from './demo-people.js';

/** What the guide's lines are filled with. */
export interface DemoGuide {
  /** Address of the service, without a slash at its end. */
  readonly url: string;
  readonly cookie: string;
  readonly tokens: {
    readonly approved: string;
    readonly hosted: string;
    readonly revoked: string;
    readonly withoutScope: string;
  };
  /** A moment some days ago, as `since` takes it. */
  readonly since: string;
}

/** What `demo` prints: lines to paste into a second terminal, each with what it shows. */
export function demoGuide({ url, cookie, tokens, since }: DemoGuide): string {
  return `
The demo is running at ${url}. Ctrl+C stops it; its data stays in .data/.

1. Paste this into a second terminal: who you are, and a way to print JSON.

API=${url}/api/v1/deal-sets
BUYER='Cookie: ${cookie}'
ASSISTANT='Authorization: Bearer ${tokens.approved}'
HOSTED='Authorization: Bearer ${tokens.hosted}'
REVOKED='Authorization: Bearer ${tokens.revoked}'
NO_SCOPE='Authorization: Bearer ${tokens.withoutScope}'
pp() { node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)), null, 2)'; }

2. The buyer: her requests, then one deal set. She sees the names of dealerships that she
   unlocked or chose, the distances, her ZIP code, and what the dealerships ask her.

curl -s -H "$BUYER" $API | pp
curl -s -H "$BUYER" $API/${DEMO_SETS.ready} | pp

3. An assistant that she approved: the same, without any name, distance or word of hers.
   A hosted assistant is not told either which dealerships are Verified partners.

curl -s -H "$ASSISTANT" $API | pp
curl -s -H "$ASSISTANT" $API/${DEMO_SETS.ready} | pp
curl -s -H "$HOSTED" $API/${DEMO_SETS.ready} | pp

4. Polling: what is new since a moment. Pass Service-As-Of on as the next since, until
   Service-More is false. This buyer lets assistants see each request's changes.

curl -siw '\\n' -H "$ASSISTANT" "$API?since=${since}"

5. Refusals: nobody signed in (401), an approval that was taken back (401), an assistant
   that may not read offers (403), somebody else's deal set (404).

curl -siw '\\n' $API
curl -siw '\\n' -H "$REVOKED" $API
curl -siw '\\n' -H "$NO_SCOPE" $API
curl -siw '\\n' -H "$BUYER" $API/${DEMO_SETS.others}

The API is described at ${url}/api/v1/openapi.json.
`;
}
