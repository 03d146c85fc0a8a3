import { Log } from './logger.js';
import { Logger } from '@nestjs/common';
import { NestLog, toHostLogger } from './nest-log.js';

const SECRET = 'password of postgres://user:secret@host';

function write(act: (log: NestLog) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  act(new NestLog(new Log('debug', { write: (line: string) => lines.push(line) })));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('Nest’s logger through the service’s log', () => {
  it('keeps a plain message with its context', () => {
    expect(write((log) => log.warn('something is odd', 'RouterExplorer'))).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'something is odd',
        context: 'RouterExplorer',
      }),
    ]);
  });

  it('writes a line of a host application at info, and the framework’s own start-up lines at debug', () => {
    const lines = write((log) => {
      log.log('Synchronised 12 notes', 'NotesService');
      log.log('AppModule dependencies initialized', 'InstanceLoader');
    });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'Synchronised 12 notes'],
      ['debug', 'AppModule dependencies initialized'],
    ]);
  });

  it.each<[string, (log: NestLog) => void]>([
    ['an error', (log) => log.error(new Error(SECRET))],
    ['an error after a message', (log) => log.error('failed', new Error(SECRET))],
    ['message and stack', (log) => log.error(SECRET, new Error(SECRET).stack, 'TypeOrmModule')],
    ['a message with a stack', (log) => log.error('cannot connect', new Error(SECRET).stack)],
    ['an object', (log) => log.error({ password: SECRET })],
  ])('writes one line and no secret of %s', (_name, act) => {
    const lines = write(act);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'error', msg: expect.stringMatching(/\S/) as unknown });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

it('writes the module’s lines in a host application through the logger of that application', () => {
  const lines: unknown[][] = [];
  const write =
    (method: string) =>
    (...args: unknown[]): unknown =>
      lines.push([method, ...args]);
  Logger.overrideLogger({ log: write('log'), warn: write('warn'), error: write('error') });
  try {
    const log = new Log('info', toHostLogger());
    log.info({ status: 200 }, 'request');
    log.warn({}, 'JWKS download failed');
    log.debug({}, 'not at this level');
  } finally {
    Logger.overrideLogger(true);
  }
  expect(lines).toEqual([
    ['log', expect.objectContaining({ status: 200, msg: 'request' }), 'DealSetsModule'],
    ['warn', expect.objectContaining({ msg: 'JWKS download failed' }), 'DealSetsModule'],
  ]);
});
