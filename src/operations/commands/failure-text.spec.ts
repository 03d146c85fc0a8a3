import 'reflect-metadata';
import { DatabaseError } from 'pg';
import { SettingsError } from '../../config/check-settings.js';
import { ImportRejectedError } from '../import/records/problems.js';
import { CommandError } from './command-error.js';
import { failureText } from './failure-text.js';

function withCode(code: string, more: object = {}): Error {
  return Object.assign(new Error('words with a secret'), { code, ...more });
}

describe('failureText', () => {
  it('passes on messages that were written for a person', () => {
    expect(failureText(new CommandError('Do this.'))).toBe('Do this.');
    expect(failureText(new SettingsError(['A: x', 'B: y']))).toBe('A: x\nB: y');
    expect(failureText(new ImportRejectedError(['line 1: bad']))).toMatch(/^line 1: bad\n/);
  });

  it('names the port that is taken', () => {
    expect(failureText(withCode('EADDRINUSE', { port: 3000 }))).toBe(
      'Port 3000 is in use: stop the process that listens there, or set PORT to another port.',
    );
  });

  it('names the setting of the port that is taken', () => {
    const error = withCode('EADDRINUSE', { port: 9464, setting: 'MANAGEMENT_PORT' });
    expect(failureText(error)).toBe(
      'Port 9464 is in use: stop the process that listens there, or set MANAGEMENT_PORT to another port.',
    );
  });

  it('finds the cause among the several that a connection to a name can have', () => {
    const error = new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]);
    expect(failureText(error)).toMatch(/cannot be reached.*DATABASE_URL/);
  });

  it.each(['28P01', '3D000', 'EPERM-unheard-of', 'XX000'])(
    'is one line without the words of the driver for %s',
    (code) => {
      const text = failureText(Object.assign(new DatabaseError('secret', 6, 'error'), { code }));
      expect(text).toMatch(/^[^\n]+$/);
      expect(text).not.toContain('secret');
    },
  );

  it('names both settings that may contain the password when the login is rejected', () => {
    const text = failureText(withCode('28P01'));
    expect(text).toContain('DATABASE_URL');
    expect(text).toContain('DATABASE_PASSWORD_FILE');
  });

  it('names the table that the database user may not use, and adds no other words', () => {
    const denied = (message: string): string | undefined =>
      failureText(Object.assign(new DatabaseError(message, 6, 'error'), { code: '42501' }));
    expect(denied('permission denied for table buyer')).toBe(
      'The database user lacks a privilege (permission denied for table buyer): grant it, or use the owner of the tables in DATABASE_URL.',
    );
    expect(denied('refused: secret')).toBe(
      'The database user lacks a privilege: grant it, or use the owner of the tables in DATABASE_URL.',
    );
  });

  it('names the attribute that a database user who creates a role needs', () => {
    const error = new DatabaseError('permission denied to create role', 6, 'error');
    expect(failureText(Object.assign(error, { code: '42501' }))).toBe(
      'The database user may not create roles: a superuser must grant it CREATEROLE.',
    );
  });

  it('names the writers that a command met until it gave up', () => {
    expect(failureText(withCode('23505'))).toMatch(/^Another writer adds or removes the same rows/);
    expect(failureText(withCode('40P01'))).toMatch(/^Deadlocks with other writers: stop them/);
  });

  it.each([
    ['CERT_HAS_EXPIRED', /certificate.* has expired: renew it/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /certificate.* is for another host/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /certificate.* is not signed by a trusted authority/],
  ])('reports what is wrong with a certificate: %s', (code, sentence) => {
    expect(failureText(withCode(code))).toMatch(sentence);
  });

  it('names a server without TLS', () => {
    const error = new Error('The server does not support SSL connections');
    expect(failureText(error)).toMatch(/^The database server has no TLS/);
  });

  it('accepts a thrown value that is not an error', () => {
    expect(failureText('secret')).not.toContain('secret');
    expect(failureText(undefined)).toMatch(/^[^\n]+$/);
  });
});
