import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestService } from '../../setup/test-service.js';
import { generateApiTypes, withoutOpenObjects } from './generate-api-types.js';

/** `npm run client:types` sets it: the file is then written, not only compared. */
const IS_WRITING = process.env['WRITE_TYPES'] === '1';
const FILE = join(__dirname, '../../../packages/client/src/api-types.ts');

describe('the client’s generated types', () => {
  it('are what the served OpenAPI document gives', async () => {
    const service = await TestService.start();
    try {
      const { text } = await service.send('GET', '/api/v1/openapi.json', undefined);
      const current = await generateApiTypes(JSON.parse(text));
      if (IS_WRITING) writeFileSync(FILE, current);
      // Out of date? `npm run client:types` writes it.
      expect(readFileSync(FILE, 'utf8')).toBe(current);
    } finally {
      await service.stop();
    }
  });

  it('have no index signatures', () => {
    expect(readFileSync(FILE, 'utf8')).not.toMatch(/\[key: string\]: unknown/);
    expect(
      withoutOpenObjects({
        a: [{ additionalProperties: true, type: 'object' }],
        additionalProperties: false,
      }),
    ).toEqual({ a: [{ type: 'object' }], additionalProperties: false });
  });
});
