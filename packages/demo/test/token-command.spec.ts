import path from 'node:path';
import { DEMO_BUYER_ID, DEMO_CLIENTS } from 'deal-sets/demo';
import { runCommand } from '../../../test/setup/run-command.js';
import { DemoService } from './demo-service.js';

const ARGS = ['token', '--buyer', DEMO_BUYER_ID, '--client', DEMO_CLIENTS.approved];
const REAL = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'https://api.example',
  AUTH_JWKS_URL: 'https://issuer.example/jwks',
};

describe('`deal-sets token` beside a demo', () => {
  let service: DemoService;
  beforeAll(async () => {
    service = await DemoService.start();
  });
  afterAll(() => service.stop());

  const token = (env: Record<string, string> = {}) =>
    runCommand(ARGS, {
      cwd: path.dirname(service.directory),
      env: { DATABASE_URL: service.database.url, ...env },
    });

  it('asks the demo that runs in this folder', async () => {
    const { exitCode, stdout } = await token();
    expect(exitCode).toBe(0);
    expect(await service.statusOf(stdout.trim())).toBe(200);
  });

  it('says where tokens come from with another issuer', async () => {
    const { exitCode, stderr } = await token(REAL);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^Tokens come from https:\/\/issuer\.example, [^\n]+\n$/),
    ]);
  });

  it('gets none without the secret of the file', async () => {
    const response = await fetch(`${service.url}/demo/token`, {
      method: 'POST',
      headers: { authorization: 'Bearer another' },
      body: new URLSearchParams({
        buyerId: DEMO_BUYER_ID,
        clientId: 'a',
        scope: '',
        ttlSeconds: '9',
      }),
    });
    expect(response.status).toBe(403);
  });
});
