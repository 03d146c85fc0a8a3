import { InvalidArgumentError } from 'commander';
import { parseUuid } from '../kernel/uuid.js';

/** A command cannot do its work; the message is one line that names the way out. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Writes a line for the person who runs the command, to standard error. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes a line of the command's result, to standard output. */
export function printResult(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A number as a person reads it: `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** An id as an option's value; lower case, as the service writes ids. */
export function uuid(text: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a UUID.');
  return id;
}

/** An assistant's id as an option's value. */
export function clientId(text: string): string {
  if (/^[\x21-\x7E]{1,256}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 256 printable ASCII characters without blanks.');
}

/** Ten years: longer than anything that a developer signs in for. */
const MAX_TTL_SECONDS = 315_360_000;

/** A time to live as an option's value, in seconds. */
export function ttlSeconds(text: string): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_TTL_SECONDS) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_TTL_SECONDS}.`);
}
