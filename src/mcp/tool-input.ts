import * as z from 'zod';
import type { UncheckedMessage } from './mcp-message.guard.js';

/** Stands for arguments that are not an object, which the library rejects before it calls a tool. */
const NOT_AN_OBJECT = '(arguments that are not an object)';

/**
 * Returns a message in the form that the library expects. Null means absent, for `params` and for
 * each of its members, because models and clients send it for what they leave out. Arguments of a
 * tool that are not an object become the input error of this tool, which a model can correct.
 */
export function normalizedMessage(message: UncheckedMessage): UncheckedMessage {
  const { params, ...others } = message;
  if (params === null) return others;
  if (typeof params !== 'object' || Array.isArray(params)) return message;
  const isCall = message['method'] === 'tools/call';
  const members = Object.entries(params)
    .filter(([, value]) => value !== null)
    .map(([name, value]): [string, unknown] => {
      const isMistake = isCall && name === 'arguments' && !isObject(value);
      return [name, isMistake ? { [NOT_AN_OBJECT]: true } : value];
    });
  return { ...others, params: Object.fromEntries(members) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the schema of a tool's arguments for the library. Its JSON Schema is made once: the
 * library needs it for each POST, and zod would make it each time.
 */
export function toolInput<Schema extends z.ZodObject>(schema: Schema): Schema {
  const standard = schema['~standard'];
  const json = standard.jsonSchema.input({ target: 'draft-2020-12' });
  const input: Pick<Schema, '~standard'> = {
    '~standard': {
      ...standard,
      jsonSchema: { input: () => json, output: () => json },
      validate: (value) => {
        if (!Object.hasOwn(value as object, NOT_AN_OBJECT)) return standard.validate(value);
        return { issues: [{ message: 'expected an object with an entry for each argument' }] };
      },
    },
  };
  // The library reads only this member.
  return input as Schema;
}
