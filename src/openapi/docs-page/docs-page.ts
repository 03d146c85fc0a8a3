import { createHash } from 'node:crypto';
import { API_REVISION } from '../../http/contract-headers.js';
import type { EndpointRoute } from '../../http/endpoint-registry.js';
import { reachableShapes } from '../../response-shape/walk.js';
import type { DescribedApi } from '../openapi-document.js';
import { documentedPath, endpointSection } from './endpoint-sections.js';
import { fieldTables, shapeAnchor } from './field-tables.js';
import { html, raw, type Html } from './html.js';
import { errorExample, errorTable, headerTable } from './reference-tables.js';
import { STYLESHEET } from './stylesheet.js';

/** A page that needs nothing but itself, and may load nothing else. */
export interface DocsPage {
  readonly text: string;
  readonly contentSecurityPolicy: string;
}

/** The documentation of the API for people: one page without scripts, made from the declarations. */
export function docsPage(api: DescribedApi): DocsPage {
  const hash = createHash('sha256').update(STYLESHEET).digest('base64');
  return {
    text: `<!doctype html>\n${pageOf(api).text}\n`,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function pageOf(api: DescribedApi): Html {
  const { endpoints } = api;
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>Deal Sets API, revision ${API_REVISION}</title>
      ${raw(`<style>${STYLESHEET}</style>`)}
    </head>
    <body>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <h1>Deal Sets API</h1>
        <p>Revision <code>${API_REVISION}</code> · <a href="openapi.json">openapi.json</a></p>
      </header>
      <div class="columns">
        ${contents(endpoints)}
        <main id="content" tabindex="-1">
          ${introduction(api)}
          <section id="endpoints" aria-labelledby="endpoints-heading">
            <h2 id="endpoints-heading">Endpoints</h2>
            ${endpoints.map((route) => endpointSection(route, api))}
          </section>
          <section id="fields" aria-labelledby="fields-heading">
            <h2 id="fields-heading">Fields</h2>
            ${legend()} ${fieldTables(shapesOf(endpoints))}
          </section>
          <section id="errors" aria-labelledby="errors-heading">
            <h2 id="errors-heading">Errors</h2>
            <p>
              Every error has one form. Branch on <code>code</code> and on the HTTP status;
              <code>message</code> is text for people and may change. Treat a code that you do not
              know by the class of its status.
            </p>
            ${errorExample(endpoints)} ${errorTable(endpoints)}
          </section>
          <section id="headers" aria-labelledby="headers-heading">
            <h2 id="headers-heading">Response headers</h2>
            ${headerTable(endpoints)}
          </section>
          ${versioning()}
        </main>
      </div>
    </body>
  </html>`;
}

const shapesOf = (endpoints: readonly EndpointRoute[]) => [
  ...new Set(endpoints.map(({ declared }) => declared.response)),
];

function contents(endpoints: readonly EndpointRoute[]): Html {
  return html`<nav aria-label="Contents">
    <ul>
      <li><a href="#principals">Principals</a></li>
      <li><a href="#sign-in">Sign-in</a></li>
      <li>
        <a href="#endpoints">Endpoints</a>
        <ul>
          ${endpoints.map(
            (route) =>
              html`<li><a href="#endpoint-${route.handler}">${route.declared.summary}</a></li>`,
          )}
        </ul>
      </li>
      <li>
        <a href="#fields">Fields</a>
        <ul>
          ${reachableShapes(shapesOf(endpoints)).map(
            (shape) => html`<li><a href="#${shapeAnchor(shape)}">${shape.name}</a></li>`,
          )}
        </ul>
      </li>
      <li><a href="#errors">Errors</a></li>
      <li><a href="#headers">Response headers</a></li>
      <li><a href="#versioning">Versioning</a></li>
    </ul>
  </nav>`;
}

function introduction({ endpoints, settings }: DescribedApi): Html {
  return html`<p class="lead">
      A car buyer asks dealerships for prices. This API reads her requests and the prices that came
      back, ranked. It only reads: there is no call that changes anything.
    </p>
    <ul class="glance">
      ${endpoints.map(
        (route) =>
          html`<li>
            <span class="method">${route.method.toUpperCase()}</span>
            <a href="#endpoint-${route.handler}"><code>${documentedPath(route)}</code></a>
            <span>${route.declared.summary}</span>
          </li>`,
      )}
    </ul>
    <section id="principals" aria-labelledby="principals-heading">
      <h2 id="principals-heading">Principals</h2>
      <dl class="principals">
        <div>
          <dt>Buyer</dt>
          <dd>
            Her own signed-in website session. She reads the name of a dealership once she has
            unlocked or chosen it.
          </dd>
        </div>
        <div>
          <dt>Assistant</dt>
          <dd>
            A program that she approved. Where she may read a name it gets a description of the car;
            where she lives, how far a dealership is and what anyone wrote is null.
          </dd>
        </div>
        <div>
          <dt>Hosted</dt>
          <dd>
            An assistant that runs on someone else’s servers. It also does not learn which
            dealerships are Verified partners.
          </dd>
        </div>
      </dl>
    </section>
    <section id="sign-in" aria-labelledby="sign-in-heading">
      <h2 id="sign-in-heading">Sign-in</h2>
      <p>
        An assistant sends its access token:
        <code>Authorization: Bearer &lt;ACCESS_TOKEN&gt;</code>. A website session sends its cookie,
        <code>${settings.sessionCookie}</code>. With both, the header alone decides. No API key is
        accepted, and a token in the query is ignored.
      </p>
      <p>
        A resource of another buyer answers exactly as one that does not exist: 404
        <code>not_found</code>.
      </p>
    </section>`;
}

function legend(): Html {
  return html`<p>The columns say what each principal gets of a field.</p>
    <dl class="legend">
      <div>
        <dt><span class="form value">value</span></dt>
        <dd>the value</dd>
      </div>
      <div>
        <dt><span class="form described">described</span></dt>
        <dd>a description of the car in place of a name</dd>
      </div>
      <div>
        <dt><span class="form null">null</span></dt>
        <dd>always null</dd>
      </div>
      <div>
        <dt><span class="form false">false</span></dt>
        <dd>never true</dd>
      </div>
      <div>
        <dt><span class="form absent">absent</span></dt>
        <dd>the field is left out</dd>
      </div>
    </dl>
    <p>
      A field is always present unless it is marked <em>optional</em>; its meaning says when it
      comes. A deployment can withhold more, never less. Money is whole US cents. Integers are
      within ±9007199254740991.
    </p>`;
}

function versioning(): Html {
  return html`<section id="versioning" aria-labelledby="versioning-heading">
    <h2 id="versioning-heading">Versioning</h2>
    <p>
      The interface is v1, with revision dates inside it; every response names its revision in
      <code>Service-API-Version</code>. Changes within v1 add: ignore fields you do not know. A
      field that changes its meaning comes with a new revision date, one that is removed or changes
      its type with <code>/api/v2</code>.
    </p>
    <p>
      Display text may change its wording at any time. Branch on <code>kind</code>,
      <code>state</code>, <code>ended</code>, <code>section</code> and the flags, never on words.
    </p>
  </section>`;
}
