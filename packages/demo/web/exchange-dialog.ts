import { button, el, on, place, type Child } from './dom.js';
import { curlLine, requestText, responseText, type Exchange } from './exchanges.js';

/** Opens an exchange: the line for curl, the request, the response. */
export function showExchange(exchange: Exchange | undefined): void {
  if (!exchange) return;
  const dialog = el(
    'dialog',
    { class: 'exchange', 'aria-labelledby': 'exchange-title' },
    el(
      'header',
      {},
      el(
        'h2',
        { id: 'exchange-title' },
        exchange.who === 'buyer' ? 'Her request' : 'The assistant’s request',
      ),
      button('Close', () => dialog.close(), { class: 'quiet' }),
    ),
    curlPart(exchange),
    part('Request', requestText(exchange)),
    part('Response, its body laid out for reading', responseText(exchange)),
  );
  on(dialog, { close: () => dialog.remove() });
  place('dialogs').append(dialog);
  dialog.showModal();
}

function curlPart(exchange: Exchange): Child {
  const line = curlLine(exchange);
  const said = el('span', { class: 'note', role: 'status' });
  const copy = button('Copy', () => {
    navigator.clipboard.writeText(line).then(
      () => (said.textContent = 'Copied.'),
      () => (said.textContent = 'The browser refused. Select the line and copy it.'),
    );
  });
  return [
    el('div', { class: 'curl-head' }, el('h3', {}, 'For a terminal'), copy, said),
    code('For a terminal', line),
    exchange.who === 'buyer' &&
      el(
        'p',
        { class: 'note' },
        'Her cookie is HttpOnly, so this page cannot fill it in. ',
        el('a', { href: '/curl' }, '/curl'),
        ' has lines with one.',
      ),
  ];
}

const part = (name: string, text: string): Child => [el('h3', {}, name), code(name, text)];

const code = (name: string, text: string): Child =>
  el('pre', { tabindex: 0, role: 'region', 'aria-label': name }, el('code', {}, text));
