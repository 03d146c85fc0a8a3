import { button, el, type Child } from './dom.js';
import { act } from './session.js';

/** The control strip: the buttons that change the data of the demo, and their messages. */
export interface Strip {
  readonly element: Child;
  /** Shows, when the poll has delivered a change, how long ago the action began. */
  arrived(): void;
  /**
   * Disables the actions that need a request, and the revocation, each with a reason that is shown;
   * undefined enables them. A disabled button keeps the focus.
   */
  fit(whyNoChange: string | undefined, whyNoRevocation: string | undefined): void;
}

interface Action {
  readonly name: string;
  readonly label: string;
  readonly look?: string;
  /** Whether the action needs an open request to several dealerships. */
  readonly needsRequest?: boolean;
}

/** The names that the strip shows. */
interface Names {
  /** The buyer's first name. */
  readonly buyer: string;
  readonly assistant: string;
}

const actionsOf = (buyer: string): readonly Action[] => [
  { name: 'reply', label: 'A dealership replies', needsRequest: true },
  { name: 'price', label: 'A price arrives', needsRequest: true },
  { name: 'unlock', label: `${buyer} unlocks a dealership`, needsRequest: true },
  { name: 'end', label: 'The request ends', needsRequest: true },
  { name: 'revoke', label: `${buyer} revokes approval`, look: 'harsh' },
  { name: 'restore', label: 'Start over', look: 'quiet' },
];

/**
 * Creates the buttons that change the demo's data. Every button except the one for the
 * revocation imports records, as a supplier of data does.
 *
 * @param selectedDealSet returns the id of the selected deal set.
 * @param onDone called after a successful action, with its start in epoch milliseconds.
 */
export function controlStrip(
  { buyer, assistant }: Names,
  selectedDealSet: () => string | undefined,
  onDone: (action: string, beganMs: number) => void,
): Strip {
  const said = el('p.said', { role: 'status' });
  const why = el('p.why', { id: 'why' });
  let message = '';
  /** The start of the action whose change the poll has not delivered yet, in epoch milliseconds. */
  let startedMs: number | undefined;
  /** When the poll delivered the change. The poll can be faster than the response to the action. */
  let arrivedMs: number | undefined;
  const show = (): void => {
    if (startedMs === undefined || arrivedMs === undefined || message === '') return;
    const seconds = (arrivedMs - startedMs) / 1000;
    said.textContent = `${message} ${assistant} received it ${seconds.toFixed(1)} s later.`;
    startedMs = undefined;
  };
  const run = async (action: string, pressed: HTMLButtonElement): Promise<void> => {
    if (pressed.getAttribute('aria-disabled') === 'true') return;
    const dealSetId = selectedDealSet() ?? '';
    pressed.setAttribute('aria-busy', 'true');
    const beganMs = Date.now();
    message = '';
    startedMs = action === 'revoke' ? undefined : beganMs;
    arrivedMs = undefined;
    const result = await act(action, dealSetId).catch(() => ({
      isDone: false,
      message: 'The demo cannot be reached. Is it still running?',
    }));
    pressed.removeAttribute('aria-busy');
    ({ message } = result);
    said.textContent = message;
    if (!result.isDone) {
      startedMs = undefined;
      return;
    }
    show();
    onDone(action, beganMs);
  };
  const buttons = actionsOf(buyer).map(({ name, label, look, needsRequest }) => {
    const pressed: HTMLButtonElement = button(label, () => void run(name, pressed), {
      class: look,
      'aria-describedby': (needsRequest === true || name === 'revoke') && 'why',
    });
    return { name, pressed, needsRequest };
  });
  return {
    fit: (whyNoChange, whyNoRevocation) => {
      for (const { name, pressed, needsRequest } of buttons) {
        const reason = needsRequest === true ? whyNoChange : undefined;
        const isOff = (name === 'revoke' ? whyNoRevocation : reason) !== undefined;
        // With `disabled`, a button that was just pressed would lose the focus.
        pressed.setAttribute('aria-disabled', String(isOff));
      }
      why.textContent = [whyNoChange, whyNoRevocation].filter(Boolean).join(' ');
    },
    element: [
      el(
        'div.buttons',
        buttons.map(({ pressed }) => pressed),
      ),
      el('div.strip-text', why, said),
    ],
    arrived: () => {
      arrivedMs ??= Date.now();
      show();
    },
  };
}
