import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestService } from '../../setup/test-service.js';

interface Document {
  openapi: string;
  components: {
    schemas: Record<
      string,
      { additionalProperties?: boolean; properties?: Record<string, unknown> }
    >;
  };
  paths: Record<string, { get: { security: object[]; responses: Record<string, unknown> } }>;
}

let service: TestService;
let text: string;
let document: Document;
beforeAll(async () => {
  service = await TestService.start();
  ({ text } = await service.send('GET', '/api/v1/openapi.json', undefined));
  document = JSON.parse(text) as Document;
});
afterAll(() => service.stop());

describe('the API description', () => {
  it('passes a linter for OpenAPI', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
    try {
      await writeFile(join(folder, 'openapi.json'), text);
      await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended-strict]\n');
      await promisify(execFile)(
        process.execPath,
        [join(process.cwd(), 'node_modules/@redocly/cli/bin/cli.js'), 'lint', 'openapi.json'],
        {
          cwd: folder,
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('documents exactly the codes of each endpoint', () => {
    const statuses = (path: string): string[] => Object.keys(document.paths[path]!.get.responses);
    expect(statuses('/api/v1/deal-sets')).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '429',
      '500',
      '503',
    ]);
    expect(statuses('/api/v1/deal-sets/{id}')).toEqual([
      '200',
      '401',
      '403',
      '404',
      '429',
      '500',
      '503',
    ]);
  });

  it('lets new fields appear', () => {
    const objects = Object.values(document.components.schemas).filter(
      (schema) => schema.properties,
    );
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.every((schema) => schema.additionalProperties === true)).toBe(true);
  });

  it('asks for the scope', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/api/v1/deal-sets']!.get.security).toContainEqual({
      oauth: ['offers:read'],
    });
  });

  it('declares the list’s bounds', () => {
    expect(document.paths['/api/v1/deal-sets']!.get).toMatchObject({
      'x-list-bounds': { maxItems: 4, itemDeadlineMs: 4000 },
    });
  });
});
