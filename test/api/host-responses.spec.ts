import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  StreamableFile,
} from '@nestjs/common';
import { load, smallWorld } from '../builders/index.js';
import { Endpoint } from '../../src/index.js';
import { FileCacheModule } from '../setup/caching-modules.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService, type Credential } from '../setup/test-service.js';

const world = smallWorld();
const CSV = 'topic,words\nprice,too much\n';
const MISSING = '/nowhere/of-the-host-application.csv';

const shared = {
  flag: 'files',
  scope: 'offers:read',
  rateClass: 'read',
  summary: 'Files',
} as const;
const file = {
  ...shared,
  response: 'binary',
  summary: 'Download the notes',
  documentation: { mediaType: 'text/csv' },
} as const;

/** Results without a body. */
const NOTHING: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
};

/** Lines of a file of which the second cannot be read. */
async function* brokenLines(): AsyncGenerator<string> {
  yield CSV;
  await pause(50);
  throw new Error('Redwood');
}

async function* lines(): AsyncGenerator<string> {
  yield await Promise.resolve(CSV);
}

/** Results that Nest would send as a body, although none of them is a `StreamableFile`. */
const WRONG_FILES: Readonly<Record<string, () => unknown>> = {
  object: () => ({ words: 'too much' }),
  text: () => 'too much',
  readable: () => Readable.from([CSV]),
  generator: () => lines(),
  response: () => new Response(CSV),
  'error-response': () => new Response(CSV, { status: 404 }),
};

@Controller('files')
class FilesController {
  @Delete()
  @Endpoint({ ...shared, response: 'none', summary: 'Delete the notes' })
  remove(): void {}

  @Post('accepted')
  @HttpCode(202)
  @Endpoint({ ...shared, response: 'none' })
  async accept(): Promise<void> {
    await Promise.resolve();
  }

  @Get('notes.csv')
  @Endpoint(file)
  buffered(): StreamableFile {
    const disposition = 'attachment; filename="notes.csv"';
    return new StreamableFile(Buffer.from(CSV), { type: 'text/csv', disposition });
  }

  @Get('streamed')
  @Endpoint(file)
  streamed(): StreamableFile {
    return new StreamableFile(Readable.from(CSV.split(/(?<=\n)/)), { type: 'text/csv' });
  }

  @Get('empty')
  @Endpoint(file)
  empty(): StreamableFile {
    return new StreamableFile(Buffer.alloc(0), { type: 'text/csv' });
  }

  @Get('missing')
  @Endpoint(file)
  missing(): StreamableFile {
    return new StreamableFile(createReadStream(MISSING));
  }

  @Get('destroyed')
  @Endpoint(file)
  destroyed(): StreamableFile {
    return new StreamableFile(new PassThrough().destroy());
  }

  @Get('closed-later')
  @Endpoint(file)
  closedLater(): StreamableFile {
    const stream = new PassThrough();
    setImmediate(() => stream.destroy());
    return new StreamableFile(stream);
  }

  @Get('broken')
  @Endpoint(file)
  broken(): StreamableFile {
    return new StreamableFile(Readable.from(brokenLines()));
  }

  @Get('wrong/:kind')
  @Endpoint(file)
  wrong(@Param('kind') kind: string): StreamableFile {
    return { ...WRONG_FILES, ...NOTHING }[kind]!() as StreamableFile;
  }

  @Get('wrong-body/:kind')
  @Endpoint({ ...shared, response: 'none' })
  wrongBody(@Param('kind') kind: string): void {
    return WRONG_FILES[kind]!() as never;
  }
}

@Module({ controllers: [FilesController] })
class FilesModule {}

let database: TestDatabase;
let service: TestService;
let assistant: Credential;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  const hostOptions = { imports: [FilesModule] };
  service = await TestService.start({ database, hostOptions, env: { ROLLOUT_FILES: 'on' } });
  assistant = await service.tokenFor(world.anna.id);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const CONTRACT_HEADERS = {
  'cache-control': 'private, no-store',
  'service-api-version': '2026-10-13',
  'x-content-type-options': 'nosniff',
};

describe('an endpoint with no response body', () => {
  it('sends 204, with the headers of the contract', async () => {
    const response = await service.send('DELETE', '/files', assistant);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers).toMatchObject(CONTRACT_HEADERS);
  });

  it('sends the status of @HttpCode', async () => {
    const response = await service.send('POST', '/files/accepted', world.session);
    expect([response.status, response.text]).toEqual([202, '']);
  });
});

describe('an endpoint with a binary response', () => {
  it.each([
    ['a file', '/files/notes.csv', CSV],
    ['a stream', '/files/streamed', CSV],
    ['an empty file', '/files/empty', ''],
  ])('sends %s as it is', async (_what, path, text) => {
    for (const credential of [world.session, assistant]) {
      const response = await service.send('GET', path, credential);
      expect([response.status, response.text]).toEqual([200, text]);
      const type = expect.stringMatching(/^text\/csv/) as unknown;
      expect(response.headers).toMatchObject({ ...CONTRACT_HEADERS, 'content-type': type });
    }
  });

  it('sends the headers of the file alone for HEAD', async () => {
    const response = await service.send('HEAD', '/files/notes.csv', assistant);
    expect([response.status, response.text]).toEqual([200, '']);
    expect(response.headers).toMatchObject({
      ...CONTRACT_HEADERS,
      'content-disposition': 'attachment; filename="notes.csv"',
      'content-length': String(CSV.length),
    });
  });

  it('runs the checks of every endpoint', async () => {
    const rejection = await service.send('GET', '/files/notes.csv', undefined);
    expect([rejection.status, rejection.code]).toEqual([401, 'unauthenticated']);
  });

  it.each([
    ['a file that cannot be opened', '/files/missing'],
    ['a stream that was destroyed', '/files/destroyed'],
    ['a stream that is closed before its first bytes', '/files/closed-later'],
  ])('sends 500 and the error envelope for %s', async (_what, path) => {
    const rejection = await service.send('GET', path, assistant);
    expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
    expect(rejection.headers).toMatchObject({
      ...CONTRACT_HEADERS,
      'content-type': 'application/json; charset=utf-8',
    });
    expect(rejection.text).not.toMatch(/nowhere|too much/);
  });
});

describe('an endpoint without a redacted response', () => {
  it.each(Object.keys(WRONG_FILES))('sends 500 for a result of the kind: %s', async (kind) => {
    for (const path of [`/files/wrong/${kind}`, `/files/wrong-body/${kind}`]) {
      const rejection = await service.send('GET', path, assistant);
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(rejection.text).not.toContain('too much');
    }
    const line = service.logLines.findLast((entry) => entry.includes('/files/wrong/'))!;
    const problem = 'a handler that declares a binary response must return a StreamableFile';
    expect(JSON.parse(line)).toMatchObject({ error: 'UsageError', problem });
  });

  it.each(['null', 'undefined'])('sends 500 for a binary response that is %s', async (kind) => {
    const rejection = await service.send('GET', `/files/wrong/${kind}`, assistant);
    expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
  });

  it('sends 500 in place of a file that the handler has not returned', async () => {
    const hostOptions = { imports: [FilesModule, FileCacheModule] };
    const cached = await TestService.start({
      database,
      hostOptions,
      env: { ROLLOUT_FILES: 'on' },
    });
    try {
      for (const credential of [world.session, await cached.tokenFor(world.anna.id)]) {
        const rejection = await cached.send('GET', '/files/notes.csv', credential);
        expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
        expect(rejection.text).not.toContain('too much');
      }
    } finally {
      await cached.stop();
    }
  });

  it('closes the connection and logs the failure when a file fails after its first bytes', async () => {
    await expect(service.send('GET', '/files/broken', assistant)).rejects.toThrow();
    const line = service.logLines.find((entry) => entry.includes('file failed while it was sent'))!;
    expect(JSON.parse(line)).toMatchObject({ level: 'error', error: 'Error' });
    expect(line).not.toContain('Redwood');
  });
});

describe('the API description of such endpoints', () => {
  it('names the status and the media type, and states that redaction does not apply', async () => {
    const { text } = await service.call('/api/v1/openapi.json');
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
    };
    const removed = paths['/files']?.['delete']?.responses;
    expect(removed).toHaveProperty('204');
    expect(removed?.['204']).not.toHaveProperty('content');
    expect(paths['/files/accepted']?.['post']?.responses).toHaveProperty('202');
    expect(paths['/files/notes.csv']?.['get']?.responses['200']).toMatchObject({
      description: expect.stringContaining('redaction by fields does not apply') as unknown,
      content: { 'text/csv': {} },
    });
  });
});
