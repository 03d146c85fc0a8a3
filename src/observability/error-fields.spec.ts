import { ExternalError } from '../kernel/external-error.js';
import { UsageError } from '../kernel/usage-error.js';
import { errorFields } from './error-fields.js';

const SECRET = 'SECRET-VIN-1HGCM82633A004352';

class DriverError extends Error {
  readonly code = '22P02';
  readonly query = `SELECT '${SECRET}'`;
  readonly parameters = [SECRET];
}

describe('errorFields', () => {
  it('names the class, SQLSTATE and place of a driver error, and nothing else', () => {
    const fields = errorFields(new DriverError(`invalid input syntax: "${SECRET}"`));
    expect(fields).toMatchObject({ error: 'DriverError', errorCode: '22P02' });
    expect(fields.at?.[0]).toContain('error-fields.spec');
    expect(JSON.stringify(fields)).not.toContain('SECRET');
  });

  it('contains the message of an error in the code of the application, and of no other error', () => {
    const problem = 'NotesController.read must declare @RequireScope';
    expect(errorFields(new UsageError(problem))).toMatchObject({ error: 'UsageError', problem });
    expect(errorFields(new Error(problem)).problem).toBeUndefined();
  });

  it('names the underlying error', () => {
    const refused = Object.assign(new Error(SECRET), { code: 'ECONNREFUSED' });
    const error = new Error('outer', { cause: new TypeError('middle', { cause: refused }) });
    expect(errorFields(error).causes).toEqual(['TypeError', 'Error ECONNREFUSED']);
  });

  it('names the word of an error of another system, and nothing of its text', () => {
    const fields = errorFields(new ExternalError('other', { cause: new DriverError(SECRET) }));
    expect(fields).toMatchObject({
      error: 'ExternalError',
      errorCode: 'other',
      causes: ['DriverError 22P02'],
    });
    expect(JSON.stringify(fields)).not.toContain('SECRET');
  });

  it('never mistakes a line of a message for a stack frame', () => {
    const fields = errorFields(new Error(`x\n    at ${SECRET} (/a.js:1:1)`));
    expect(JSON.stringify(fields)).not.toContain('SECRET');
    expect(fields.at?.length).toBeGreaterThan(0);
  });

  it('leaves the stack out when the message was changed later', () => {
    const error = new Error(`x\n    at ${SECRET} (/a.js:1:1)`);
    // V8 writes the stack when it is first read.
    expect(error.stack).toContain(SECRET);
    error.message = 'changed';
    expect(errorFields(error)).toEqual({ error: 'Error' });
  });

  it('ignores names and codes that are text', () => {
    const error = Object.assign(new Error('x'), { code: `no ${SECRET}`, name: SECRET });
    expect(JSON.stringify(errorFields(error))).not.toContain('SECRET');
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['string', SECRET],
    ['number', 5],
  ])('describes a thrown %s by its type', (type, thrown) => {
    expect(errorFields(thrown)).toEqual({ error: type });
  });

  it('ends on circular causes', () => {
    const error = new Error('x');
    error.cause = error;
    expect(errorFields(error).causes).toHaveLength(4);
  });

  it('survives an error that cannot be read', () => {
    const unreadable = new Proxy(new Error(SECRET), {
      getPrototypeOf: () => {
        throw new Error(SECRET);
      },
    });
    expect(errorFields(unreadable)).toEqual({ error: 'Unreadable' });
  });
});
