import { JsonLogger } from './json-logger.js';
const SECRET = 'password of postgres://user:secret@host';

function write(act: (logger: JsonLogger) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  act(new JsonLogger('debug', { write: (line: string) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the logger of the standalone application', () => {
  it('keeps a plain message with its context', () => {
    expect(write((logger) => logger.warn('something is odd', 'RouterExplorer'))).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'something is odd',
        context: 'RouterExplorer',
      }),
    ]);
  });

  it('writes a line of a host application at info, and the framework’s own start-up lines at debug', () => {
    const lines = write((logger) => {
      logger.log('Synchronised 12 notes', 'NotesService');
      logger.log('AppModule dependencies initialized', 'InstanceLoader');
    });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'Synchronised 12 notes'],
      ['debug', 'AppModule dependencies initialized'],
    ]);
  });

  it('writes the verbose lines of Nest at trace, as LOG_LEVEL names them', () => {
    expect(write((logger) => logger.verbose('each row', 'NotesService'))).toEqual([]);
  });

  it.each<[string, (logger: JsonLogger) => void]>([
    ['an error', (logger) => logger.error(new Error(SECRET))],
    ['an error after a message', (logger) => logger.error('failed', new Error(SECRET))],
    [
      'message and stack',
      (logger) => logger.error(SECRET, new Error(SECRET).stack, 'TypeOrmModule'),
    ],
    ['a message with a stack', (logger) => logger.error('cannot connect', new Error(SECRET).stack)],
    ['an object', (logger) => logger.error({ password: SECRET })],
  ])('writes one line and no secret of %s', (_name, act) => {
    const lines = write(act);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'error', msg: expect.stringMatching(/\S/) as unknown });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('writes the fields of a line after its time and level, and the message last', () => {
    const lines: string[] = [];
    const logger = new JsonLogger('info', { write: (line: string) => lines.push(line) });
    logger.warn({ msg: 'JWKS download failed', error: 'TypeError', errorCode: undefined });
    expect(lines).toEqual([
      expect.stringMatching(
        /^\{"level":"warn","time":"[^"]+","error":"TypeError","msg":"JWKS download failed"\}\n$/,
      ),
    ]);
  });
});
