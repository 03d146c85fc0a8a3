import { readFile } from 'node:fs/promises';
import { RESPONSES } from '../deal-sets/dto/responses.js';
import type { Form } from '../response-shape/field.js';
import { fieldPath, reachableShapes } from '../response-shape/walk.js';
import { CommandError } from './command-error.js';

/** A field of a response and what an assistant gets of it. */
export interface DescribedField {
  readonly path: string;
  readonly form: Form;
}

const FORMS: readonly string[] = [
  'same',
  'described',
  'null',
  'false',
  'unless-hosted',
] satisfies Form[];
const DOWNLOAD_LIMIT_MS = 10_000;

/** The fields of the service as it is shipped. */
export function shippedFields(): DescribedField[] {
  return reachableShapes(RESPONSES).flatMap((shape) =>
    Object.entries(shape.fields).map(([name, field]) => ({
      path: fieldPath(shape, name),
      form: field.forms.assistant,
    })),
  );
}

/**
 * The fields of a service that a team has built, from its API description.
 *
 * @param source address (`http://…/api/v1/openapi.json`) or file.
 * @throws {CommandError} when it cannot be read or is no description of this service.
 */
export async function fieldsOfDescription(source: string): Promise<DescribedField[]> {
  const { components } = await readDescription(source);
  const fields = Object.entries(components?.schemas ?? {}).flatMap(([shape, { properties = {} }]) =>
    Object.entries(properties).flatMap(([name, { 'x-assistant': form }]) =>
      isForm(form) ? [{ path: `${shape}.${name}`, form }] : [],
    ),
  );
  if (fields.length === 0) {
    throw new CommandError(`${source} describes no field: pass the service's /api/v1/openapi.json`);
  }
  return fields;
}

interface Description {
  readonly components?: {
    readonly schemas?: Record<
      string,
      { readonly properties?: Record<string, { readonly 'x-assistant'?: unknown }> }
    >;
  };
}

async function readDescription(source: string): Promise<Description> {
  try {
    const text = /^https?:/.test(source)
      ? await fetch(source, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS) }).then((response) =>
          response.text(),
        )
      : await readFile(source, 'utf8');
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null ? document : {};
  } catch {
    throw new CommandError(`${source} could not be read as JSON: check the address`);
  }
}

function isForm(form: unknown): form is Form {
  return typeof form === 'string' && FORMS.includes(form);
}
