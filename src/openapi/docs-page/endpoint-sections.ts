import type { EndpointRoute } from '../../http/endpoint-registry.js';
import { inputFieldsOf } from '../../http/input-field.decorator.js';
import { PRINCIPAL_TYPES } from '../../kernel/principal.js';
import type { JsonSchema } from '../../response-shape/field.js';
import { parameters } from '../documented-input.js';
import { EXAMPLE_OF, exampleFor } from '../documented-responses.js';
import type { DescribedApi } from '../openapi-document.js';
import { shapeAnchor } from './field-tables.js';
import { html, NOTHING, prose, type Html } from './html.js';
import { jsonText } from './json-text.js';
import { table } from './table.js';

const PLACEHOLDER_ID = '5f0c1a52-7c3e-4d0e-9a51-0c7a7f6a1b01';

export const documentedPath = (route: EndpointRoute): string =>
  route.path.replaceAll(/:(\w+)/g, '{$1}');

/** A block of code that scrolls: it takes the keyboard's focus, and has a name. */
export function codeBlock(label: string, content: Html | string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${content}</code></pre>`;
}

function inputTable(caption: string, rows: readonly (readonly Html[])[]): Html {
  return rows.length === 0
    ? NOTHING
    : html`<h4>${caption}</h4>
        ${table({
          caption,
          className: 'inputs',
          columns: ['Name', 'In', 'Type', 'Required', 'Meaning'],
          rows,
        })}`;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

function inputRow(input: Parameter): Html[] {
  const { type, format } = input.schema;
  return [
    html`<code>${input.name}</code>`,
    html`${input.in}`,
    html`${typeof type === 'string' ? type : 'any'}${typeof format === 'string' ? ` (${format})` : ''}`,
    html`${input.required ? 'yes' : 'no'}`,
    prose(input.description ?? ''),
  ];
}

function bodyRows({ declared: { body } }: EndpointRoute): Html[][] {
  return (body ? inputFieldsOf(body) : []).map((field) =>
    inputRow({ ...field, in: 'body', required: field.isRequired }),
  );
}

function exampleRequest(route: EndpointRoute, baseUrl: string): Html {
  const query = route.declared.documentation?.exampleQuery;
  const path = documentedPath(route).replaceAll(/\{\w+\}/g, PLACEHOLDER_ID);
  const url = `${baseUrl}${path}${query === undefined ? '' : `?${query}`}`;
  const method = route.method === 'get' ? '' : ` -X ${route.method.toUpperCase()}`;
  return codeBlock(
    `Example request: ${route.declared.summary}`,
    `curl -i${method} '${url}' \\\n  -H 'Authorization: Bearer <ACCESS_TOKEN>'`,
  );
}

function examples(route: EndpointRoute): Html {
  const { documentation, principals = PRINCIPAL_TYPES, summary } = route.declared;
  if (!documentation?.example) return NOTHING;
  return html`<h4>Example responses</h4>
    <p>The same ${route.method.toUpperCase()}, read by each.</p>
    ${principals.map(
      (type) =>
        html`<details>
          <summary>${EXAMPLE_OF[type]} receives</summary>
          ${codeBlock(
            `${summary}: ${EXAMPLE_OF[type]} receives`,
            jsonText(exampleFor(route, type)),
          )}
        </details>`,
    )}`;
}

function guide({ declared: { documentation } }: EndpointRoute): Html {
  const { guide: given } = documentation ?? {};
  if (!given) return NOTHING;
  return html`<h4 id="polling">${given.heading}</h4>
    <ol class="rules">
      ${given.rules.map((rule) => html`<li>${prose(rule)}</li>`)}
    </ol>`;
}

function facts(route: EndpointRoute, { settings, rateClassOf }: DescribedApi): Html {
  const { scope, rateClass: name, response } = route.declared;
  const rate = rateClassOf(name);
  const limit = typeof rate?.limit === 'number' ? `${rate.limit} requests` : 'a number of requests';
  return html`<dl class="facts">
    <div>
      <dt>Scope</dt>
      <dd><code>${scope}</code></dd>
    </div>
    <div>
      <dt>Answers</dt>
      <dd>${route.status}, <a href="#${shapeAnchor(response)}">${response.name}</a></dd>
    </div>
    <div>
      <dt>Rate limit</dt>
      <dd>
        ${limit} in ${rate?.windowSeconds ?? '?'} seconds, counted per caller over all endpoints of
        class <code>${name}</code>
      </dd>
    </div>
    <div>
      <dt>Deadline</dt>
      <dd>
        ${settings.requestDeadlineMs / 1000} seconds, then <code>unavailable</code>; nothing partial
        is sent
      </dd>
    </div>
  </dl>`;
}

/** What there is to say about one endpoint. */
export function endpointSection(route: EndpointRoute, api: DescribedApi): Html {
  const { summary, description = '' } = route.declared;
  const id = `endpoint-${route.handler}`;
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h3 id="${id}-heading">${summary}</h3>
    <p class="operation">
      <span class="method">${route.method.toUpperCase()}</span>
      <code>${documentedPath(route)}</code>
    </p>
    <p>${prose(description)}</p>
    ${facts(route, api)}
    ${inputTable('Parameters', (parameters(route) as unknown as Parameter[]).map(inputRow))}
    ${inputTable('Body', bodyRows(route))}
    <h4>Example request</h4>
    ${exampleRequest(route, api.settings.publicUrl ?? 'https://api.example.com')} ${examples(route)}
    ${guide(route)}
  </section>`;
}
