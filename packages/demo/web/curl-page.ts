import { copyButton } from './copy.js';
import { el } from './dom.js';

// Without this script, the page shows the same commands without buttons.
const blocks = [...document.querySelectorAll<HTMLElement>('pre[data-copy]')];
for (const block of blocks) {
  // A folded block can be copied without being opened.
  const place = block.closest('details') ?? block;
  place.before(el('p', copyButton(block.textContent, block.dataset['copy'])));
}
const everything = blocks.map(({ textContent }) => textContent).join('\n');
document.querySelector('#everything')?.append(el('p', copyButton(everything, 'Copy everything')));
