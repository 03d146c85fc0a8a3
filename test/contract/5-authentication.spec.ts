import { dealSet } from '../builders/index.js';
import { bearer, cookie, LIST, type CallOptions, type HttpResponse } from '../setup/http-call.js';
import { ContractService, PRINCIPALS } from './contract-service.js';
import type { Reader } from '../setup/world.js';

const contract = ContractService.forFile();
let reader: Reader;
let paths: readonly [list: string, get: string];
/** The header of the buyer's own session. */
let session: Readonly<Record<string, string>>;

beforeAll(async () => {
  reader = await contract.newReader();
  const set = dealSet({ buyerId: reader.id });
  await contract.insert(set);
  paths = [LIST, `${LIST}/${set.id}`];
  session = cookie(reader.session.cookie).headers;
});

/** Makes the call at both endpoints. */
async function callBoth(options: CallOptions): Promise<HttpResponse[]> {
  return [
    await contract.service.call(paths[0], options),
    await contract.service.call(paths[1], options),
  ];
}

async function expectBoth(
  options: CallOptions,
  status: number,
  code?: string,
  challenge?: string,
): Promise<void> {
  for (const response of await callBoth(options))
    expect([response.status, response.code, response.headers['www-authenticate']]).toEqual([
      status,
      code,
      challenge,
    ]);
}
const expectUnauthenticated = (options: CallOptions): Promise<void> =>
  expectBoth(options, 401, 'unauthenticated', 'Bearer error="invalid_token"');

describe('5 authentication', () => {
  it('5 accepts the buyer’s session, and the access token of an assistant that the buyer approved', async () => {
    await expectBoth({ headers: session }, 200);
    await expectBoth(bearer(reader.assistant.token), 200);
  });

  it('5 refuses a signed-out caller with unauthenticated', async () => {
    await expectUnauthenticated({});
    await expectUnauthenticated(cookie('x'.repeat(43)));
  });

  it('5 refuses what is not a valid access token, also beside a live session', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer not.a.token', 'Basic YTpi', 'Token abc']) {
      await expectUnauthenticated({ headers: { authorization } });
      await expectUnauthenticated({ headers: { authorization, ...session } });
    }
  });

  it('5 accepts no API key, and a token only in the Authorization header', async () => {
    const { token } = reader.assistant;
    for (const name of ['x-api-key', 'api-key', 'x-access-token', 'proxy-authorization'])
      await expectUnauthenticated({ headers: { [name]: `Bearer ${token}` } });
    for (const path of paths) {
      const { code } = await contract.service.call(`${path}?access_token=${token}`);
      expect(code).toBe('unauthenticated');
    }
  });

  it('5 reads as the assistant where a token and a session are sent', async () => {
    const both = { headers: { ...bearer(reader.assistant.token).headers, ...session } };
    const [list, get] = await callBoth(both);
    expect(list!.text).toContain('"buyerZip":null');
    expect(get!.text).toContain('"buyerZip":null');
    for (const { text } of await callBoth({ headers: session }))
      expect(text).toContain('"buyerZip":"45202"');
  });

  it('5 refuses a token without offers:read with insufficient_scope, and names the scope', async () => {
    for (const scope of [
      undefined,
      '',
      'offers:reads',
      'OFFERS:READ',
      'offers:read,x',
      'requests:submit',
    ]) {
      const { token } = await contract.service.tokenFor(reader.id, { scope });
      const challenge = 'Bearer error="insufficient_scope", scope="offers:read"';
      await expectBoth(bearer(token), 403, 'insufficient_scope', challenge);
    }
    const { token } = await contract.service.tokenFor(reader.id, {
      scope: 'requests:submit offers:read',
    });
    await expectBoth(bearer(token), 200);
  });

  it('5 never discloses a resource of another buyer: not_found, never 403', async () => {
    const other = await contract.newReader();
    for (const principal of PRINCIPALS) {
      const { status, code } = await contract.service.get(paths[1], other[principal]);
      expect([status, code]).toEqual([404, 'not_found']);
      expect((await contract.service.get(paths[0], other[principal])).text).toBe('{"data":[]}');
    }
  });

  it('5 answers auth_unverifiable where sign-in cannot be confirmed; a signed-out caller stays signed out', async () => {
    const rename = (from: string, to: string) =>
      contract.service.database.query(`ALTER TABLE deal_sets.${from} RENAME TO ${to}`);
    for (const [table, credential] of [
      ['buyer_session', { headers: session }],
      ['assistant_grant', bearer(reader.assistant.token)],
    ] as const) {
      await rename(table, `${table}_gone`);
      try {
        await expectBoth(credential, 503, 'auth_unverifiable');
        await expectUnauthenticated({});
        await expectUnauthenticated(bearer('not.a.token'));
      } finally {
        await rename(`${table}_gone`, table);
      }
      await expectBoth(credential, 200);
    }
  });
});
