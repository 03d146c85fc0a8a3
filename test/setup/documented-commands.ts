import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A fenced block of a document. */
export interface FencedBlock {
  readonly language: string;
  readonly code: string;
}

/**
 * Reads the fenced blocks below a heading of a document, up to the next heading.
 *
 * @param document its path within the project.
 * @param heading the whole line of the heading.
 * @throws if the document lacks the heading.
 */
export function fencedBlocks(document: string, heading: string): FencedBlock[] {
  const text = readFileSync(path.join(__dirname, '../..', document), 'utf8');
  const start = text.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${document} has no heading "${heading}"`);
  // A line of a block may also begin with a number sign, so a heading must have a capital letter
  // after it.
  const section = text.slice(start + heading.length + 2).split(/^#+ [A-Z]/m, 1)[0]!;
  return Array.from(
    section.matchAll(/^( *)```(\w*)\n([^]*?)^ *```$/gm),
    ([, indent = '', language = '', code = '']) => ({
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}
