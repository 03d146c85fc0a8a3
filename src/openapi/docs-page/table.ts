import { html, type Html } from './html.js';

export interface Table {
  /** Read out by screen readers; the heading above says the same to the eye. */
  readonly caption: string;
  readonly className: string;
  readonly columns: readonly string[];
  /** The first cell of a row is its header. */
  readonly rows: readonly (readonly Html[])[];
}

/**
 * A table that becomes a list of cards on a narrow screen. Its roles are written out, because browsers
 * drop those of a table whose `display` changes; the name of the column moves into `data-column`.
 */
export function table({ caption, className, columns, rows }: Table): Html {
  return html`<table class="${className}" role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((column) => html`<th role="columnheader" scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        ([first, ...rest]) =>
          html`<tr role="row">
            <th role="rowheader" scope="row">${first ?? ''}</th>
            ${rest.map(
              (content, index) =>
                html`<td role="cell" data-column="${columns[index + 1] ?? ''}">${content}</td>`,
            )}
          </tr> `,
      )}
    </tbody>
  </table>`;
}
