import { button, el, type Child } from './dom.js';
import { act } from './session.js';

export interface Strip {
  readonly element: Child;
  /** The poll brought something: says how long after the action. */
  arrived(): void;
  /** Turns off what does not fit: actions on a request need an open one to several dealerships. */
  fit(isOpenSet: boolean): void;
}

/** The last two are the buyer's own: they need no request. */
const ACTIONS = [
  ['reply', 'A dealership replies'],
  ['price', 'A price arrives'],
  ['unlock', 'She unlocks a dealership'],
  ['end', 'The request ends'],
  ['revoke', 'She revokes the approval', 'harsh'],
  ['restore', 'Start over', 'quiet'],
] as const;

/** Buttons that make things happen, each by an import of records as a supplier sends them. */
export function controlStrip(
  selectedDealSet: () => string | undefined,
  onDone: (action: string) => void,
): Strip {
  const said = el(
    'p.said',
    { role: 'status' },
    'Each button imports records, as a supplier of data does.',
  );
  let startedMs: number | undefined;
  let message = '';
  const run = async (action: string, pressed: HTMLButtonElement): Promise<void> => {
    const dealSetId = selectedDealSet() ?? '';
    pressed.setAttribute('aria-busy', 'true');
    startedMs = undefined;
    const beganMs = Date.now();
    const result = await act(action, dealSetId).catch(() => ({
      isDone: false,
      message: 'The demo cannot be reached. Is it still running?',
    }));
    pressed.removeAttribute('aria-busy');
    ({ message } = result);
    said.textContent = message;
    if (!result.isDone) return;
    if (action !== 'revoke') startedMs = beganMs;
    onDone(action);
  };
  const buttons = ACTIONS.map(([action, label, look]) => {
    const pressed: HTMLButtonElement = button(label, () => void run(action, pressed), {
      class: look,
    });
    return pressed;
  });
  return {
    fit: (isOpenSet) => {
      for (const one of buttons.slice(0, 4)) one.disabled = !isOpenSet;
    },
    element: [el('div.buttons', buttons), said],
    arrived: () => {
      if (startedMs === undefined) return;
      const seconds = (Date.now() - startedMs) / 1000;
      said.textContent = `${message} The assistant’s poll had it ${seconds.toFixed(1)} s later.`;
      startedMs = undefined;
    },
  };
}
