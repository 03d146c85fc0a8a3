import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { Public, READ_SCOPE, Settings } from '@deal-sets/service';
import { AuthorizationServer } from './authorization/authorization-server.js';
import { DEMO_BUYER_ID, DEMO_CLIENTS, DEMO_SETS, OTHER_SCOPE } from './demo-world/demo-people.js';
import { DemoWorld } from './open-demo.js';
import { OwnHostGuard } from './web-forms/own-origin.guard.js';

const DAY_SECONDS = 86_400;
const SINCE_HOURS = 5;
const HOUR_MS = 3_600_000;

/**
 * Shell commands at `/curl`, with the credentials of the demo's buyer and of the buyer's assistants
 * in variables.
 */
@Controller()
@Public()
@UseGuards(OwnHostGuard)
export class CurlController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly world: DemoWorld,
    private readonly settings: Settings,
  ) {}

  @Get('curl')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async lines(): Promise<string> {
    const token = (clientId: string, scope = READ_SCOPE): Promise<string> =>
      this.server.issueToken({ buyerId: DEMO_BUYER_ID, clientId, scope, ttlSeconds: DAY_SECONDS });
    const since = new Date(Date.now() - SINCE_HOURS * HOUR_MS).toISOString();
    return `# Paste this whole text into a terminal, or a part of it after the variables.
# To format a response, append:  | node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)), null, 2)'

LIST='${this.settings.publicUrl}/api/v1/deal-sets'
ONE="$LIST/${DEMO_SETS.ready}"
BUYER='Cookie: ${this.settings.sessionCookie}=${this.world.cookieValue}'
ASSISTANT='Authorization: Bearer ${await token(DEMO_CLIENTS.approved)}'
HOSTED='Authorization: Bearer ${await token(DEMO_CLIENTS.hosted)}'
REVOKED='Authorization: Bearer ${await token(DEMO_CLIENTS.revoked)}'
OTHER_SCOPE='Authorization: Bearer ${await token(DEMO_CLIENTS.withoutScope, OTHER_SCOPE)}'

# 1. The buyer: her requests, then one deal set. She sees the names of dealerships that she
#    unlocked or chose, the distances, her ZIP code, and what the dealerships ask her.
curl -s -H "$BUYER" "$LIST"
curl -s -H "$BUYER" "$ONE"

# 2. An assistant that she approved: the same, without any name, distance or word of hers.
curl -s -H "$ASSISTANT" "$LIST"
curl -s -H "$ASSISTANT" "$ONE"

# 3. A hosted assistant does not get the Verified partner flag either.
curl -s -H "$HOSTED" "$ONE"

# 4. Polling: what is new since a moment. Pass Service-As-Of on as the next since, until
#    Service-More is false. This buyer lets assistants see each request's changes.
curl -si -H "$ASSISTANT" "$LIST?since=${since}"

# 5. Refusals: signed out (401), a revoked approval (401), an assistant
#    that may not read offers (403), another buyer's deal set (404).
curl -si "$LIST"
curl -si -H "$REVOKED" "$LIST"
curl -si -H "$OTHER_SCOPE" "$LIST"
curl -si -H "$BUYER" "$LIST/${DEMO_SETS.others}"
`;
  }
}
