import { copyButton } from './copy.js';
import { el } from './dom.js';

// Without this script, the page shows the same commands without buttons.
const blocks = [...document.querySelectorAll<HTMLElement>('pre[data-copy]')];
for (const block of blocks) {
  block.before(el('p', copyButton(block.textContent, block.dataset['copy'])));
}
const everything = blocks.map(({ textContent }) => textContent).join('\n');
document.querySelector('#everything')?.append(el('p', copyButton(everything, 'Copy everything')));
