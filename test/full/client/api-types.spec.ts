import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../setup/child-environment.js';
import { TestService } from '../../setup/test-service.js';

/** `npm run client:types` sets this variable; the file is then also written, not only compared. */
const IS_WRITING = process.env['WRITE_TYPES'] === '1';
const FILE = join(__dirname, '../../../packages/client/src/api-types.ts');
const GENERATOR = join(process.cwd(), 'node_modules/openapi-typescript/bin/cli.js');
const HEADER =
  '/** Generated from the served OpenAPI document by `npm run client:types`. Do not edit. */\n\n';

describe('the client’s generated types', () => {
  it('match the served API description, without index signatures', async () => {
    const service = await TestService.start();
    const { text } = await service.call('/api/v1/openapi.json');
    await service.stop();
    const folder = mkdtempSync(join(tmpdir(), 'api-types-'));
    const [input, output] = [join(folder, 'openapi.json'), join(folder, 'api-types.ts')];
    writeFileSync(input, text);
    await promisify(execFile)(process.execPath, [GENERATOR, input, '--output', output], {
      env: childEnvironment(),
    });
    const current = HEADER + readFileSync(output, 'utf8').replace(/^\/\*\*[^]*?\*\/\s*/, '');
    rmSync(folder, { recursive: true });
    if (IS_WRITING) writeFileSync(FILE, current);
    // `npm run client:types` updates an outdated file.
    expect(readFileSync(FILE, 'utf8')).toBe(current);
    expect(current).not.toMatch(/\[key: string\]: unknown/);
  });
});
