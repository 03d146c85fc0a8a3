import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const GENERATOR = join(process.cwd(), 'node_modules/openapi-typescript/bin/cli.js');
const HEADER =
  '/** Generated from the served OpenAPI document by `npm run client:types`. Do not edit. */\n\n';

/**
 * Drops `additionalProperties: true`, at any depth: the generator would add an index signature, and a
 * misspelt field of a response would then compile.
 */
export function withoutOpenObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOpenObjects);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, of]) => !(key === 'additionalProperties' && of === true))
      .map(([key, of]) => [key, withoutOpenObjects(of)]),
  );
}

/** The TypeScript declarations of an OpenAPI document, as openapi-typescript writes them. */
export async function generateApiTypes(document: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'api-types-'));
  try {
    const [input, output] = [join(folder, 'openapi.json'), join(folder, 'api-types.ts')];
    await writeFile(input, JSON.stringify(withoutOpenObjects(document)));
    await promisify(execFile)(process.execPath, [GENERATOR, input, '--output', output], {
      env: { ...process.env, NO_COLOR: '1' },
    });
    return HEADER + (await readFile(output, 'utf8')).replace(/^\/\*\*[^]*?\*\/\s*/, '');
  } finally {
    await rm(folder, { recursive: true });
  }
}
