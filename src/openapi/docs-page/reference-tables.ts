import type { EndpointRoute } from '../../http/endpoint-registry.js';
import type { JsonSchema } from '../../response-shape/field.js';
import { HEADERS } from '../components.js';
import { reasonsOf } from '../documented-input.js';
import { documentedErrors, type DocumentedError } from '../documented-responses.js';
import { codeBlock } from './endpoint-sections.js';
import { html, joined, NOTHING, prose, type Html } from './html.js';
import { table } from './table.js';

const linkTo = (route: EndpointRoute): Html =>
  html`<a href="#endpoint-${route.handler}">${route.declared.summary}</a>`;

/** Which endpoints something applies to; `all` when it is every one. */
function appliesTo(some: readonly EndpointRoute[], all: readonly EndpointRoute[]): Html {
  return some.length === all.length ? html`all` : joined(some.map(linkTo), ', ');
}

function headerNames({ headers = {} }: DocumentedError): Html {
  const names = Object.keys(headers).map((name) => html`<code>${name}</code>`);
  return names.length === 0 ? NOTHING : html` Carries ${joined(names, ', ')}.`;
}

/** Every error of every endpoint, by status. */
export function errorTable(endpoints: readonly EndpointRoute[]): Html {
  const found = new Map<string, { error: DocumentedError; of: EndpointRoute[] }>();
  for (const route of endpoints) {
    for (const error of documentedErrors(route.declared, reasonsOf(route))) {
      const key = JSON.stringify([error.status, error.code, error.description]);
      const entry = found.get(key) ?? { error, of: [] };
      entry.of.push(route);
      found.set(key, entry);
    }
  }
  const rows = [...found.values()]
    .sort((one, other) => one.error.status - other.error.status)
    .map(({ error, of }) => [
      html`<code>${error.code}</code>`,
      html`${error.status}`,
      html`${prose(error.description)}${headerNames(error)}`,
      appliesTo(of, endpoints),
    ]);
  return table({
    caption: 'Errors',
    className: 'errors',
    columns: ['Code', 'Status', 'When', 'Endpoints'],
    rows,
  });
}

export function errorExample(endpoints: readonly EndpointRoute[]): Html {
  const [error] = endpoints.flatMap((route) =>
    documentedErrors(route.declared, reasonsOf(route)).filter(({ code }) => code === 'not_found'),
  );
  if (!error) return NOTHING;
  const { code, message } = error;
  return codeBlock('Example of an error', JSON.stringify({ error: { code, message } }, null, 2));
}

/** `Retry-After-If-Known` is a name of the API description alone: two rules for one header. */
const IS_SAME_HEADER = new Set(['Retry-After-If-Known']);
const WITH: Readonly<Record<string, string>> = {
  'Cache-Control': 'every response',
  'Service-API-Version': 'every response',
  'Service-Request-Id': 'every response',
  'WWW-Authenticate': '401 and 403',
  'Retry-After': '429; 503 when the wait is known',
};

/** Every header that a response can carry. */
export function headerTable(endpoints: readonly EndpointRoute[]): Html {
  const own = endpoints.flatMap((route) =>
    Object.entries(route.declared.documentation?.responseHeaders ?? {}).map(([name, header]) => [
      html`<code>${name}</code>`,
      html`${linkTo(route)}${header.isAlways ? ', every success' : ''}`,
      headerMeaning(header.description, header.schema),
    ]),
  );
  const shared = Object.entries(HEADERS)
    .filter(([name]) => !IS_SAME_HEADER.has(name))
    .map(([name, value]) => {
      const { description, schema } = value as { description: string; schema: JsonSchema };
      return [
        html`<code>${name}</code>`,
        html`${WITH[name] ?? 'some responses'}`,
        headerMeaning(description, schema),
      ];
    });
  return table({
    caption: 'Response headers',
    className: 'headers',
    columns: ['Header', 'Sent with', 'Meaning'],
    rows: [...own, ...shared],
  });
}

function headerMeaning(description: string, schema: JsonSchema): Html {
  const { const: only } = schema;
  return html`${prose(description)}${
    typeof only === 'string' ? html` Always <code>${only}</code>.` : NOTHING
  }`;
}
