/**
 * Prints the types of parameters that a compiler recorded for decorators in a build of the service,
 * one line for each constructor and method, sorted. NestJS injects by these types.
 *
 *   node scripts/decorator-metadata.js dist
 */
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The modules that start a program when they are loaded. They contain no classes. */
const PROGRAMS = ['main.js', 'cli.js'];

const lines = [];
const nameOf = (type) => (typeof type === 'function' ? type.name : String(type));

const { metadata } = Reflect;
Reflect.metadata = (key, value) => {
  const decorate = metadata(key, value);
  if (key !== 'design:paramtypes') return decorate;
  return (target, property) => {
    const { name } = typeof target === 'function' ? target : target.constructor;
    const method = String(property ?? 'constructor');
    lines.push(`${name}.${method}(${value.map(nameOf).join(', ')})`);
    return decorate(target, property);
  };
};

const folder = path.resolve(process.argv[2]);
for (const name of readdirSync(folder, { recursive: true }).sort()) {
  if (!name.endsWith('.js') || PROGRAMS.includes(name)) continue;
  await import(pathToFileURL(path.join(folder, name)).href);
}
if (lines.length === 0) throw new Error(`no decorators in ${folder}`);
console.log(lines.sort().join('\n'));
