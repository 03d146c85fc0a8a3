import type { ByPrincipalType } from '../../kernel/principal.js';
import type { AnyShape, Field, Form, Value } from '../../response-shape/field.js';
import { reachableShapes } from '../../response-shape/walk.js';
import { html, joined, NOTHING, prose, type Html } from './html.js';
import { table } from './table.js';

export const shapeAnchor = (shape: AnyShape): string => `shape-${shape.name}`;

const linkTo = (shape: AnyShape): Html => html`<a href="#${shapeAnchor(shape)}">${shape.name}</a>`;

const words = (values: readonly unknown[]): Html =>
  joined(
    values.map((value) => html`<code>${String(value)}</code>`),
    ' | ',
  );

/** The type of a value as JSON calls it. */
export function typeText(value: Value): Html {
  switch (value.is) {
    case 'leaf': {
      const { type, format, const: only, enum: several } = value.schema;
      if (only !== undefined) return words([only]);
      if (Array.isArray(several)) return words(several);
      return typeof format === 'string' ? html`${String(type)} (${format})` : html`${String(type)}`;
    }
    case 'nullable':
      return html`${typeText(value.of)} or null`;
    case 'list':
      return html`array of ${typeText(value.of)}`;
    case 'object':
      return linkTo(value.shape);
    case 'one-of':
      return joined(value.shapes.map(linkTo), ' or ');
  }
}

type Cell = 'value' | 'described' | 'null' | 'false' | 'absent';

const CELLS: Readonly<Record<Form, readonly [cell: Cell, hosted: Cell]>> = {
  same: ['value', 'value'],
  described: ['described', 'described'],
  null: ['null', 'null'],
  false: ['false', 'false'],
  'unless-hosted': ['value', 'absent'],
};

const cell = (form: Cell): Html => html`<span class="form ${form}">${form}</span>`;

function columns({ forms }: Field): readonly [buyer: Html, assistant: Html, hosted: Html] {
  const buyer: ByPrincipalType<Form>['session'] = forms.session;
  const [assistant, hosted] = CELLS[forms.assistant];
  return [cell(CELLS[buyer][0]), cell(assistant), cell(hosted)];
}

function fieldRow(shape: AnyShape, name: string, field: Field): Html[] {
  const id = `${shape.name}.${name}`;
  return [
    html`<a class="anchor" id="${id}" href="#${id}"><code>${name}</code></a>`,
    html`${typeText(field.value)}${field.isOptional ? html` <em>optional</em>` : NOTHING}`,
    ...columns(field),
    prose(field.description),
  ];
}

function shapeSection(shape: AnyShape): Html {
  const fields = Object.entries(shape.fields);
  return html`<section id="${shapeAnchor(shape)}" aria-labelledby="${shapeAnchor(shape)}-heading">
    <h3 id="${shapeAnchor(shape)}-heading">${shape.name}</h3>
    <p>${prose(shape.description)}</p>
    ${
      fields.length === 0
        ? NOTHING
        : table({
            caption: `Fields of ${shape.name}`,
            className: 'fields',
            columns: ['Field', 'Type', 'Buyer', 'Assistant', 'Hosted', 'Meaning'],
            rows: fields.map(([name, field]) => fieldRow(shape, name, field)),
          })
    }
  </section>`;
}

/** A table for each object of the responses. */
export function fieldTables(roots: readonly AnyShape[]): Html {
  return html`${reachableShapes(roots).map(shapeSection)}`;
}
