import { button, el, type Child } from './dom.js';

/** Creates a button that copies a text, and the place where it reports the outcome. */
export function copyButton(text: string, label = 'Copy'): Child {
  const said = el('span.note', { role: 'status' });
  const copy = button(
    label,
    () => {
      navigator.clipboard.writeText(text).then(
        () => (said.textContent = 'Copied.'),
        () => (said.textContent = 'Could not copy. Select the text and copy it.'),
      );
    },
    { class: 'copy' },
  );
  return [copy, ' ', said];
}
