import { ExternalError } from '../kernel/external-error.js';
import { PortError } from '../kernel/port.js';
import { ResponseFieldError } from '../kernel/response-field-error.js';
import { UsageError } from '../kernel/usage-error.js';

/**
 * The fields that a log line contains about an error. Only the messages of a `UsageError` and
 * a `ResponseFieldError` are logged; any other message may quote values of a statement or a token.
 */
export interface ErrorFields {
  /** The port whose implementation failed; the other fields are about its error. */
  readonly port?: string;
  /** The class of the error, or the type of a thrown value that is not an error. */
  readonly error: string;
  /**
   * SQLSTATE, system code (`ECONNREFUSED`), library code (`ERR_JWKS_TIMEOUT`), or the word of an
   * `ExternalError`.
   */
  readonly errorCode?: string;
  /** The mistake in the code of the application. */
  readonly problem?: string;
  /** The field of a response whose value did not match its declaration: `Row.acmeScore`. */
  readonly responseField?: string;
  /** Class and code of the error's causes, outermost first. */
  readonly causes?: readonly string[];
  /** The first stack frames of the error, without the message above them. */
  readonly at?: readonly string[];
}

const NAME = /^[\w$]{1,64}$/;
const CODE = /^[A-Z0-9_]{2,64}$/;
const FRAME = /^ {4}at .+:\d+:\d+\)?$/;
const FRAMES_KEPT = 6;
const CAUSES_KEPT = 4;

/** Extracts the fields to log. It never throws, whatever was thrown. */
export function errorFields(error: unknown): ErrorFields {
  try {
    if (error instanceof PortError) return { port: error.port, ...errorFields(error.cause) };
    const [causes, at] = [causesOf(error), framesOf(error)];
    // JSON leaves out undefined members.
    return {
      error: nameOf(error),
      errorCode: codeOf(error),
      problem: hasOwnMessage(error) ? error.message : undefined,
      responseField: error instanceof ResponseFieldError ? error.field : undefined,
      causes: causes.length > 0 ? causes : undefined,
      at: at.length > 0 ? at : undefined,
    };
  } catch {
    return { error: 'Unreadable' };
  }
}

/** Returns whether the message of an error is written by the service and contains no value. */
function hasOwnMessage(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof ResponseFieldError;
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return error === null ? 'null' : typeof error;
  const name = error.constructor.name;
  return NAME.test(name) ? name : 'Error';
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof ExternalError) return error.word;
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && CODE.test(error.code) ? error.code : undefined;
}

function causesOf(error: unknown, kept = CAUSES_KEPT): string[] {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === undefined || kept === 0) return [];
  const code = codeOf(cause);
  const own = code === undefined ? nameOf(cause) : `${nameOf(cause)} ${code}`;
  return [own, ...causesOf(cause, kept - 1)];
}

/**
 * Returns the first stack frames. A message may contain lines that look like stack frames, so only
 * the text after it in `stack` counts.
 */
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const messageAt = error.stack.indexOf(error.message);
  if (messageAt === -1) return [];
  return error.stack
    .slice(messageAt + error.message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, FRAMES_KEPT)
    .map((line) => line.slice('    at '.length));
}
