import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../setup/eventually.js';
import { startProcess } from '../../setup/start-process.js';
import { adminUrl } from '../../setup/test-database.js';

interface Line {
  readonly span?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly route?: string;
  readonly traceId?: string;
}

it('names a recorded span by the pattern of its route, and logs its trace id', async () => {
  const register = pathToFileURL(path.join(__dirname, '../../setup/record-spans.js')).href;
  const service = await startProcess({
    env: { DATABASE_URL: adminUrl(), NODE_OPTIONS: `--import ${register}` },
    waitFor: 'live',
  });
  const linesOf = (): Line[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  const route = '/api/v1/deal-sets/:id';
  try {
    const response = await fetch(`${service.baseUrl}/api/v1/deal-sets/anything`);
    expect(response.status).toBe(401);
    await fetch(`${service.baseUrl}/nowhere`);
    await eventually(() => {
      const spans = linesOf().filter(({ span }) => span !== undefined);
      const named = spans.find(({ span }) => span === `GET ${route}`);
      expect(named?.attributes).toMatchObject({ 'http.route': route });
      expect(linesOf()).toContainEqual(
        expect.objectContaining({ route, msg: 'request', traceId: named?.traceId }),
      );
      // A path without a route names nothing: it is the caller's text.
      expect(spans.some(({ span }) => span?.includes('nowhere'))).toBe(false);
    });
  } finally {
    await service.stop();
  }
});
