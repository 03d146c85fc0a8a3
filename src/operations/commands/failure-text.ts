import { DevelopmentKeyError } from '../../auth/issuer/development-issuer.js';
import { SettingsError } from '../../config/check-settings.js';
import { isConnectionLost } from '../../database/driver-errors.js';
import { EarlierVersionError, NotUtf8Error } from '../../database/unusable-database.js';
import { ImportRejectedError } from '../import/records/problems.js';
import { CommandError } from './command-error.js';

/** Errors whose messages state the fix; they are printed unchanged. */
const OPERATOR_ERRORS = [
  CommandError,
  DevelopmentKeyError,
  EarlierVersionError,
  NotUtf8Error,
  SettingsError,
];
const OTHER_FORM =
  'The tables of this database have a different structure: migrate an empty database, and load the data into it.';
/** The driver's message when the server has no TLS; the error has no code. */
const NO_TLS = 'The server does not support SSL connections';
/** The message of PostgreSQL when a user without CREATEROLE creates a role. */
const NO_ROLE_CREATION = 'permission denied to create role';
/** A command has tried again several times by then. */
const OTHER_WRITER = 'Another writer adds or removes the same rows: let it finish, and try again.';
const NO_FILE = 'There is no such file: check the path.';
const DENIED = 'Permission denied: choose a port above 1023, or a file that this user may access.';
const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EADDRNOTAVAIL: 'This machine has no such address: correct HOST.',
  ENOENT: NO_FILE,
  ENOTDIR: NO_FILE,
  ECONNREFUSED: 'The database cannot be reached: start it, or correct DATABASE_URL.',
  ENOTFOUND: "The database's host name cannot be resolved: correct DATABASE_URL.",
  ETIMEDOUT: 'The database does not respond: check the network, or correct DATABASE_URL.',
  ECONNRESET: 'The database closed the connection: see its log, and try again.',
  '23503': OTHER_WRITER,
  '23505': OTHER_WRITER,
  '28P01':
    'The database rejected the login: correct the user in DATABASE_URL, or the password there or in the file of DATABASE_PASSWORD_FILE.',
  '28000':
    'The database rejected the login: correct the user in DATABASE_URL, or add sslmode=verify-full if the server accepts only TLS.',
  '3D000': 'There is no such database: create it, or correct DATABASE_URL.',
  '40P01': 'Deadlocks with other writers: stop them, or let them finish, and try again.',
  '42P01': 'The database schema is out of date: run `deal-sets migrate`.',
  '42703': OTHER_FORM,
  '42710': OTHER_FORM,
  '42P07': OTHER_FORM,
  '53100': 'The database has no disk space left: free some.',
  '53300': 'The database accepts no more connections: close some, or raise its limit.',
  '55P03': 'Another writer holds a lock that the command needs: let it finish, and try again.',
  '57P01': 'The database ended the connection: see its log, and try again.',
  '57P03': 'The database is starting or stopping: try again in a moment.',
};

const UNTRUSTED = 'is not signed by a trusted authority: correct sslrootcert in its address';
/** What is wrong with the certificate of a database server, by Node's error code. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired: renew it',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clocks of both machines',
  CERT_REVOKED: 'is revoked: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'is for another host: connect to a host name that the certificate contains',
  CERT_REJECTED: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

/**
 * Describes a failure and its fix, without a stack trace and without a driver's message, which may
 * contain data.
 */
export function failureText(error: unknown): string {
  if (OPERATOR_ERRORS.some((type) => error instanceof type)) return (error as Error).message;
  if (error instanceof ImportRejectedError) {
    return `${error.message}\nNothing was imported: correct the file and import it again.`;
  }
  // A host name may have several addresses, each with its own error; the first error is sufficient.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const facts = Object(cause) as Readonly<Record<string, string | undefined>>;
  const { code = '', message = '', path, port = '', setting = 'PORT' } = facts;
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: stop the process that listens there, or set ${setting} to another port.`;
  }
  if (code === '42501') {
    if (message === NO_ROLE_CREATION) {
      return 'The database user may not create roles: a superuser must grant it CREATEROLE.';
    }
    // The message contains the name of the object but no data: `permission denied for table buyer`.
    const what = /^permission denied[a-z0-9_" ]*$/i.test(message) ? ` (${message})` : '';
    return `The database user lacks a privilege${what}: grant it, or use the owner of the tables in DATABASE_URL.`;
  }
  if (message === NO_TLS) {
    return 'The database server has no TLS: turn it on there, or remove sslmode from DATABASE_URL.';
  }
  const certificateProblem = CERTIFICATE_PROBLEMS[code];
  if (certificateProblem !== undefined) {
    return `The certificate of the database server ${certificateProblem}.`;
  }
  const text = BY_CODE[code];
  if (text !== undefined) return path === undefined ? text : `${path}: ${text}`;
  if (error instanceof Error && isConnectionLost(error)) {
    return 'The database cannot be reached: see its log, and start it or repair the network.';
  }
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return `Unexpected error (${`${name} ${code}`.trim()}); see the service and database logs.`;
}
