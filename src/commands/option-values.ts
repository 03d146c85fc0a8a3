import { InvalidArgumentError } from 'commander';
import { parseUuid } from '../kernel/uuid.js';

const CLIENT_ID = /^[\x21-\x7E]{1,256}$/;

/** An id as an option's value; lower case, as the service writes ids. */
export function uuid(text: string): string {
  const id = parseUuid(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a UUID.');
  return id;
}

/** An assistant's id as an option's value. */
export function clientId(text: string): string {
  if (!CLIENT_ID.test(text)) {
    throw new InvalidArgumentError(
      'It must be 1 to 256 printable ASCII characters without blanks.',
    );
  }
  return text;
}

/** A whole number as an option's value. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Ten years: longer than anything that a developer signs in for. */
export const MAX_TTL_SECONDS = 315_360_000;
