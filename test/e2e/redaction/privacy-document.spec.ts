import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RESPONSES } from '../../../src/deal-sets/dto/responses.js';
import type { AnyShape, Form, Value } from '../../../src/response-shape/field.js';
import { isHideable, reachableShapes } from '../../../src/response-shape/walk.js';

/** `npm run docs:privacy` sets it: the table is then written, not only compared. */
const IS_WRITING = process.env['WRITE_DOCS'] === '1';
const DOCUMENT = path.join(__dirname, '../../../docs/privacy.md');
const BEGIN =
  '<!-- begin: made from the declarations in src/deal-sets/dto by `npm run docs:privacy` -->';
const END = '<!-- end -->';

const FORMS: Readonly<Record<Form, readonly [assistant: string, hosted: string]>> = {
  same: ['same value', 'same value'],
  described: ['description of the car', 'description of the car'],
  null: ['**null**', '**null**'],
  false: ['**false**', '**false**'],
  'unless-hosted': ['same value', '**absent**'],
};

function typeOf(value: Value): string {
  switch (value.is) {
    case 'leaf':
      if (value.type === 'uuids') return 'array of string';
      return value.type === 'word' || value.type === 'text' ? 'string' : value.type;
    case 'nullable':
      return `${typeOf(value.of)}, nullable`;
    case 'list':
      return `array of ${typeOf(value.of)}`;
    case 'object':
      return value.shape.name;
    case 'one-of':
      return value.shapes.map((shape) => shape.name).join(' or ');
  }
}

/** Who gets what of every shape of a response. */
function tables(roots: readonly AnyShape[]): string {
  return reachableShapes(roots)
    .map((shape) => {
      const rows = Object.entries(shape.fields).map(([name, field]) => {
        const type = typeOf(field.value) + (field.isOptional ? ', optional' : '');
        const isTeams = isHideable(field) ? 'yes' : '';
        return `| \`${name}\` | ${type} | ${FORMS[field.forms.assistant].join(' | ')} | ${isTeams} |`;
      });
      return [
        `### ${shape.name}`,
        '',
        shape.description,
        '',
        '| Field | Type | Assistant | Hosted assistant | A rule may hide it |',
        '| --- | --- | --- | --- | --- |',
        ...rows,
      ].join('\n');
    })
    .join('\n\n');
}

describe('docs/privacy.md', () => {
  it('describes every field as its declaration says', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    const [before, rest] = document.split(BEGIN);
    const after = rest?.split(END)[1];
    if (before === undefined || after === undefined)
      throw new Error('docs/privacy.md lost its markers');
    const current = `${before}${BEGIN}\n\n${tables(RESPONSES)}\n\n${END}${after}`;
    if (IS_WRITING) writeFileSync(DOCUMENT, current);
    // Stale? `npm run docs:privacy` writes it anew. Prettier pads tables, so blanks do not count.
    const bare = (text: string): string => text.replace(/[ -]+/g, ' ');
    expect(bare(IS_WRITING ? current : document)).toBe(bare(current));
  });
});
