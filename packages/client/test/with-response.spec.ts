import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { DealSetsClient, type ResponseDetails } from '../src/index.js';
import { failure, json, list, page, scriptedServer, single, time } from './scripted-server.js';

const execute = promisify(execFile);
const BUILD = join(__dirname, '../dist/index.js');

const server = scriptedServer();
const client = (): DealSetsClient =>
  new DealSetsClient({ baseUrl: server.url, accessToken: () => 't' });
const quota = { 'Service-More': 'false', RateLimit: '"reads";r=119;t=60' };

/** Returns the values of a response that the tests compare. */
const summary = ({ status, requestId, headers }: ResponseDetails): unknown[] => [
  status,
  requestId,
  headers.get('RateLimit'),
];

describe('withResponse', () => {
  it('returns the data of a call with its response, by one request', async () => {
    server.answer(json(200, { data: [single('a')] }, quota));
    const { data, response } = await client().list().withResponse();
    expect(data).toEqual({ entries: [single('a')], more: false, skipped: 0 });
    expect(summary(response)).toEqual([200, 'request-1', quota.RateLimit]);
    expect(server.received).toHaveLength(1);
  });

  it('returns the response of a deal set, and of one that does not exist', async () => {
    server.answer(json(200, { data: { dealSetId: 'a' } }, quota), failure(404, 'not_found', quota));
    const found = await client().get('a').withResponse();
    expect(found.data).toEqual({ dealSetId: 'a' });
    expect(summary(found.response)).toEqual([200, 'request-1', quota.RateLimit]);
    const missing = await client().get('b').withResponse();
    expect(missing.data).toBeNull();
    expect(summary(missing.response)).toEqual([404, 'request-1', quota.RateLimit]);
  });

  it('returns the response of the last page of readAll', async () => {
    server.answer(page([single('a')], time(1), true), page([single('b')], time(2)));
    const { data, response } = await client().readAll().withResponse();
    expect(data.entries).toEqual([single('a'), single('b')]);
    expect(response.headers.get('Service-As-Of')).toBe(time(2));
  });

  it('can be requested beside the data, and more than once', async () => {
    server.answer(list([]));
    const call = client().list();
    const [data, first, second] = await Promise.all([
      call,
      call.withResponse(),
      call.withResponse(),
    ]);
    expect(first.data).toBe(data);
    expect(second.response).toBe(first.response);
    expect(server.received).toHaveLength(1);
  });

  it('rejects with the error of the call, which has the headers of the response', async () => {
    server.answer(failure(403, 'insufficient_scope', quota));
    const error: unknown = await client()
      .list()
      .withResponse()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'insufficient_scope', requestId: 'request-1' });
    expect((error as { headers: Headers }).headers.get('RateLimit')).toBe(quota.RateLimit);
  });
});

describe('a batch of a poll', () => {
  it('has the response that its page came in', async () => {
    server.answer(page([], time(1), true), page([], time(2)));
    const responses: ResponseDetails[] = [];
    for await (const batch of client().poll({ since: time(0) })) {
      responses.push(batch.response);
      if (!batch.more) break;
    }
    const asOf = responses.map(({ headers }) => headers.get('Service-As-Of'));
    expect(asOf).toEqual([time(1), time(2)]);
    expect(responses.map(({ requestId }) => requestId)).toEqual(['request-1', 'request-1']);
  });
});

/** Each test runs a separate process, because Node.js ends a process on an unhandled rejection. */
describe('a failed call', () => {
  beforeAll(() => {
    if (!existsSync(BUILD)) throw new Error('run `npm run build` first');
  });

  /** Runs a statement with the built package. Rejects if the process fails. */
  async function run(statement: string): Promise<string> {
    server.answer(failure(403, 'insufficient_scope'));
    const script = `
      import { DealSetsClient } from ${JSON.stringify(pathToFileURL(BUILD).href)};
      const client = new DealSetsClient({ baseUrl: '${server.url}', accessToken: () => 't' });
      ${statement}
    `;
    const { stdout } = await execute(
      process.execPath,
      ['--input-type=module', '--unhandled-rejections=throw', '--eval', script],
      { env: childEnvironment({}) },
    );
    return stdout.trim();
  }

  it.each([
    'await client.list().catch(({ code }) => console.log(code));',
    'await client.list().withResponse().catch(({ code }) => console.log(code));',
    `const call = client.list();
     const both = await Promise.allSettled([call, call.withResponse()]);
     console.log(both[0].reason.code);`,
  ])('that is handled leaves no unhandled rejection: %s', async (statement) => {
    expect(await run(statement)).toBe('insufficient_scope');
  });

  it.each(['client.list();', 'client.list().withResponse();'])(
    'that is not handled ends the process, as any promise does: %s',
    async (statement) => {
      await expect(run(statement)).rejects.toThrow(/insufficient_scope/);
    },
  );
});
