/** Parses the part of the Dockerfile syntax that `deploy/Dockerfile` uses. */
import { readFileSync } from 'node:fs';

/** Returns the instructions in their order, with continued lines joined. */
export function instructionsOf(file) {
  return readFileSync(file, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, text] = /^(\w+)\s+(.*)$/.exec(line);
      return { name, text, words: text.split(/\s+/) };
    });
}

/**
 * Returns a function that reports whether the rules of a `.dockerignore` leave a file out. The last
 * rule that matches applies.
 */
export function ignoredBy(file) {
  const rules = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      isException: line.startsWith('!'),
      pattern: patternOf(line.replace(/^!/, '')),
    }));
  return (name) => !(rules.findLast(({ pattern }) => pattern.test(name))?.isException ?? true);
}

function patternOf(rule) {
  const source = rule
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('**/', '(.+/)?')
    .replaceAll(/(?<!\))\*/g, '[^/]*');
  return new RegExp(`^${source}(/.*)?$`);
}
