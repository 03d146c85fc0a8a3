import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from './child-environment.js';

/**
 * Checks a description with a linter for OpenAPI.
 *
 * @param description the document as JSON.
 * @throws {Error} with the linter's report when the description breaks one of its rules.
 */
export async function lintOpenApi(description: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    await writeFile(join(folder, 'openapi.json'), description);
    await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended-strict]\n');
    const linter = promisify(execFile)(
      process.execPath,
      [join(process.cwd(), 'node_modules/@redocly/cli/bin/cli.js'), 'lint', 'openapi.json'],
      {
        cwd: folder,
        env: childEnvironment({
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        }),
      },
    );
    await linter.catch((error: unknown) => {
      throw new Error((error as { readonly stdout: string }).stdout);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
