import { DemoStartError, demoSettings } from './demo-settings.js';

describe('the settings of the demo', () => {
  it('make the demo its own issuer, on its own origin', () => {
    const { settings } = demoSettings({ PORT: '4001' }, 'postgres://localhost/demo');
    const { publicUrl, hasMcp, issuer } = settings;
    expect([publicUrl, hasMcp]).toEqual(['http://localhost:4001', true]);
    expect(issuer).toMatchObject({
      issuer: 'http://localhost:4001',
      audiences: ['http://localhost:4001', 'http://localhost:4001/mcp'],
      jwksUrl: 'http://localhost:4001/oauth/jwks',
    });
  });

  it.each([
    [{ NODE_ENV: 'production' }, 'unset NODE_ENV=production'],
    [{ HOST: '0.0.0.0' }, 'unset HOST'],
    [{ HOST: '192.0.2.7' }, 'unset HOST'],
    [{ HOST: 'localhost.example' }, 'unset HOST'],
    [{ PUBLIC_URL: 'http://demo.example' }, 'unset PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://demo.example/demo' }, 'unset PUBLIC_URL'],
    [{ PORT: 'abc' }, 'PORT: expected a whole number from 1 to 65535.'],
    [{ PORT: '70000' }, 'PORT: expected a whole number from 1 to 65535.'],
    [{ PUBLIC_URL: 'http://localhost:3000/demo' }, 'unset PUBLIC_URL'],
    [{ PORT: '0' }, 'set PORT'],
    [{ AUTH_ISSUER: 'https://issuer.example' }, 'unset AUTH_ISSUER'],
  ])('reject %j and name the fix', (env, words) => {
    expect(() => demoSettings(env, 'postgres://localhost/demo')).toThrow(DemoStartError);
    expect(() => demoSettings(env, 'postgres://localhost/demo')).toThrow(words);
  });

  it('leave the default port out of the address', () => {
    const { settings } = demoSettings({ PORT: '80' }, 'postgres://localhost/demo');
    expect(settings.publicUrl).toBe('http://localhost');
  });

  it('use the https address of a proxy, and listen on the loopback address', () => {
    const env = { PUBLIC_URL: 'https://x-3000.example' };
    const { settings, server } = demoSettings(env, 'postgres://localhost/demo');
    expect([settings.publicUrl, settings.issuer?.issuer]).toEqual([
      'https://x-3000.example',
      'https://x-3000.example',
    ]);
    expect(server.host).toBe('127.0.0.1');
  });

  it.each(['127.0.0.1', '::1', 'localhost'])('accept the loopback address %s', (HOST) => {
    expect(demoSettings({ HOST }, 'postgres://localhost/demo').server.host).toBe(HOST);
  });
});
