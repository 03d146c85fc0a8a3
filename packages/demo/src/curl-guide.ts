import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { Settings } from '@deal-sets/service';
import { Public, READ_SCOPE } from '@deal-sets/service/standalone';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationServer } from './authorization/authorization-server.js';
import { DEMO_BUYER_ID, DEMO_CLIENTS, DEMO_SETS, OTHER_SCOPE } from './demo-world/demo-people.js';
import { DemoWorld } from './open-demo.js';
import { OwnHostGuard } from './web-forms/own-origin.guard.js';
import { markup, sendPage, type Html } from './web-forms/send-page.js';

const DAY_SECONDS = 86_400;
const SINCE_HOURS = 5;
const HOUR_MS = 3_600_000;

/**
 * Serves shell commands at `/curl`, with the credentials of the demo's buyer and of the buyer's
 * assistants in variables: as text, and for a browser as a page with buttons that copy them.
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
  async send(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<unknown> {
    const text = await this.#text();
    if (headers.accept?.includes('text/html')) {
      return sendPage(reply, {
        title: 'Commands for a terminal',
        body: guidePage(text),
        script: '/page/curl-page.js',
      });
    }
    return reply.header('Content-Type', 'text/plain; charset=utf-8').send(text);
  }

  async #text(): Promise<string> {
    const token = (clientId: string, scope = READ_SCOPE): Promise<string> =>
      this.server.issueToken({ buyerId: DEMO_BUYER_ID, clientId, scope, ttlSeconds: DAY_SECONDS });
    const since = new Date(Date.now() - SINCE_HOURS * HOUR_MS).toISOString();
    return `setopt interactive_comments 2>/dev/null || :
# The line above lets zsh accept comments. Other shells ignore it.
# Paste this whole text into a terminal, or a part of it after the variables.
# The cookie and the tokens are valid for 24 hours. Reload this page for new ones.

# Formats the JSON of a response. With -i its headers come first.
show() {
  curl -s "$@" | node -e '
    const text = fs.readFileSync(0, "utf8"), at = text.search(/^[{]/m);
    console.log(at < 0 ? text : text.slice(0, at) + JSON.stringify(JSON.parse(text.slice(at)), null, 2) + "\\n");'
}

LIST='${this.settings.publicUrl}/api/v1/deal-sets'
ONE="$LIST/${DEMO_SETS.ready}"
BUYER='Cookie: ${this.settings.sessionCookie}=${this.world.cookieValue}'
ASSISTANT='Authorization: Bearer ${await token(DEMO_CLIENTS.approved)}'
HOSTED='Authorization: Bearer ${await token(DEMO_CLIENTS.hosted)}'
REVOKED='Authorization: Bearer ${await token(DEMO_CLIENTS.revoked)}'
OTHER_SCOPE='Authorization: Bearer ${await token(DEMO_CLIENTS.withoutScope, OTHER_SCOPE)}'

# 1. The buyer: her requests, then one deal set. She sees the names of
#    dealerships that she unlocked or chose, the distances, her ZIP code
#    and the questions of the dealerships.
echo '== 1. The buyer: list'
show -H "$BUYER" "$LIST"
echo '== 1. The buyer: one deal set'
show -H "$BUYER" "$ONE"

# 2. An assistant that she approved: the same prices, without names,
#    distances or messages.
echo '== 2. The assistant: list'
show -H "$ASSISTANT" "$LIST"
echo '== 2. The assistant: one deal set'
show -H "$ASSISTANT" "$ONE"

# 3. An assistant that runs on a server does not get the Verified partner
#    flag either.
echo '== 3. The hosted assistant: one deal set'
show -H "$HOSTED" "$ONE"

# 4. Polling: what has changed since a given time. Send Service-As-Of as
#    the next since; repeat at once while Service-More is true. This buyer
#    lets assistants see what changed in each request.
echo '== 4. The assistant: a poll'
show -i -H "$ASSISTANT" "$LIST?since=${since}"

# 5. Rejected calls.
echo '== 5. Signed out: 401'
show -i "$LIST"
echo '== 5. A revoked approval: 401'
show -i -H "$REVOKED" "$LIST"
echo '== 5. An assistant that may not read offers: 403'
show -i -H "$OTHER_SCOPE" "$LIST"
echo '== 5. The deal set of another buyer: 404'
show -i -H "$BUYER" "$LIST/${DEMO_SETS.others}"
`;
  }
}

/** Builds the page of the commands: the variables, folded, and a part for each heading. */
function guidePage(text: string): Html {
  const [variables = '', ...parts] = text.split(/^(?=# \d\. )/m);
  return markup`<p>
      Paste the variables first, then any of the parts. The cookie and the tokens are valid for 24
      hours; reload this page for new ones. For a program, this address returns the same commands as
      text: <code>curl</code> it.
    </p>
    <div id="everything"></div>
    <details>
      <summary>The variables: addresses, a session cookie and tokens</summary>
      <pre tabindex="0" data-copy="Copy the variables">${variables}</pre>
    </details>
    ${parts.map((commands) => {
      const [heading = ''] = /(?<=^# \d\. )[^:.\n]+/.exec(commands) ?? [];
      return markup`<h2>${heading}</h2>
        <pre tabindex="0" data-copy="Copy">${commands.trimEnd()}</pre>`;
    })}`;
}
