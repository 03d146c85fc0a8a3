import type { ListEntry, PollBatch } from '@deal-sets/client';
import { highlight } from './changes.js';
import { button, el, place, replace, type Child } from './dom.js';
import { align, Pane } from './pane.js';
import { PollLog } from './poll-log.js';
import { inOrder, requestsList } from './requests-list.js';
import { readState, type Buyer, type PageState } from './session.js';
import { entryId, LIST_PATH, Side } from './side.js';
import { controlStrip, type Strip } from './strip.js';
import {
  firstName,
  introduction,
  showLead,
  showOtherTab,
  showSignedOut,
  signedInAs,
  signInAgain,
} from './welcome.js';

const STILL = matchMedia('(prefers-reduced-motion: reduce)');
const NARROW = matchMedia('(max-width: 60rem)');

/** The page of a signed-in buyer: the buyer's view on the left, the assistant's on the right. */
class BuyerPage {
  readonly #place: string;
  #selected: string | undefined;
  /** The assistant's latest access token; null if the buyer has not approved the assistant. */
  #accessToken: string | null;
  readonly #buyer: Side;
  readonly #assistant: Side;
  readonly #panes: { readonly buyer: Pane; readonly assistant: Pane };
  readonly #log = new PollLog();
  readonly #strip: Strip;
  readonly #tabs: Tabs;
  /**
   * The start of the latest action, in epoch milliseconds. `Infinity` once the change of the action
   * has been shown.
   */
  #revealSinceMs = Infinity;
  /** Whether the buyer has revoked the approval and not renewed it. */
  #isRevoked: boolean;
  #clock = 0;
  /** When the service first rejected the assistant's token, in epoch milliseconds. */
  #rejectedAtMs: number | undefined;

  constructor(
    private readonly state: PageState,
    private readonly buyer: Buyer,
  ) {
    this.#place = `selected by ${buyer.id}`;
    this.#selected = linkedRequest() ?? sessionStorage.getItem(this.#place) ?? undefined;
    this.#accessToken = state.assistant.accessToken;
    this.#isRevoked = state.assistant.isRevoked;
    const events = {
      onBatch: (side: Side, batch: PollBatch) => void this.#onBatch(side, batch),
      onProblem: (side: Side) => this.#onProblem(side),
    };
    this.#buyer = new Side('buyer', events);
    this.#assistant = new Side('assistant', events, () => this.#accessToken ?? '');
    const selected = (): string | undefined => this.#selected;
    const { name } = state.assistant;
    this.#tabs = tabs(['buyer', `${firstName(buyer)}’s page`], ['assistant', name]);
    this.#panes = {
      buyer: new Pane(
        {
          title: `${firstName(buyer)}’s page`,
          note: 'Read with her session',
          signedOut: () => signInAgain(),
        },
        this.#buyer,
        selected,
      ),
      assistant: new Pane(
        {
          title: `What ${name} gets`,
          note: [
            el('span.credential', 'Read with a token. '),
            el('span.described', 'In place of a name'),
          ],
          signedOut: () => this.#notApproved(),
        },
        this.#assistant,
        selected,
      ),
    };
    this.#strip = controlStrip(
      { buyer: firstName(buyer), assistant: name },
      () =>
        this.#buyer.entries.get(this.#selected ?? '')?.kind === 'deal_set'
          ? this.#selected
          : undefined,
      (action, beganMs) => this.#onAction(action, beganMs),
    );
  }

  start(): void {
    replace(place('who'), signedInAs(this.buyer));
    const { assistant } = this.state;
    replace(place('intro'), ...introduction());
    replace(place('strip'), el('h2', 'Make something happen'), this.#strip.element);
    replace(place('poll'), el('h2', 'The assistant’s live poll'), this.#log.element);
    replace(
      place('panes'),
      this.#tabs.element,
      this.#panes.buyer.element,
      this.#panes.assistant.element,
    );
    document.body.classList.add('signed-in');
    // A phone shows one pane. Without an approval, show the pane that links to the approval page.
    if (assistant.accessToken === null) this.#tabs.show('assistant');
    // Draw at once, so that nothing moves when the requests arrive.
    this.#draw();
    void this.#buyer.follow();
    this.#connect(this.state.assistant.accessToken);
    addEventListener('resize', () => this.#align());
    addEventListener('focusin', showFocused);
    addEventListener('popstate', () => {
      const id = linkedRequest();
      if (id !== undefined && id !== this.#selected) this.#show(id);
    });
    // Stop polling when a form signs the buyer out. Until the next page loads, reads would be
    // rejected.
    addEventListener('submit', () => this.stop());
    // Opening a section changes its height.
    place('panes').addEventListener('toggle', () => this.#align(), true);
    // Keeps times such as “3 minutes ago” correct.
    this.#clock = window.setInterval(() => this.#draw(), 60_000);
  }

  /** Stops both polls and the drawing. */
  stop(): void {
    window.clearInterval(this.#clock);
    this.#buyer.stop();
    this.#assistant.stop();
  }

  #connect(accessToken: string | null): void {
    if (accessToken === null) {
      this.#assistant.problem = { code: 'unauthenticated', status: 401, untilMs: null };
      this.#log.stop('stopped: not approved');
      this.#draw();
      return;
    }
    this.#accessToken = accessToken;
    this.#isRevoked = false;
    this.#rejectedAtMs = undefined;
    this.#assistant.problem = undefined;
    void this.#assistant.follow();
  }

  #onAction(action: string, beganMs: number): void {
    this.#revealSinceMs = beganMs;
    if (action === 'restore') void this.#renewApproval();
    if (action === 'revoke') {
      this.#isRevoked = true;
      this.#draw();
      // On a phone, the pane with the change may be hidden.
      this.#tabs.show('assistant');
    }
    this.#reveal();
  }

  /** Scrolls to the part that an action changed, once it is drawn. */
  #reveal(): void {
    if (this.#revealSinceMs === Infinity) return;
    for (const folded of document.querySelectorAll<HTMLDetailsElement>('.folded:has(.fresh)')) {
      folded.open = true;
    }
    const found = ['.offer.fresh', '.item.fresh', '.fresh']
      .flatMap((selector) => [...document.querySelectorAll<HTMLElement>(`.pane ${selector}`)])
      .find(
        (element) =>
          element.checkVisibility() && Number(element.dataset['changedAt']) >= this.#revealSinceMs,
      );
    if (!found) return;
    this.#revealSinceMs = Infinity;
    this.#align();
    const behavior = STILL.matches ? 'auto' : 'smooth';
    // Nothing moves if the part is in sight already.
    found.scrollIntoView({ block: 'nearest', behavior });
  }

  get #isRejected(): boolean {
    return this.#assistant.problem?.status === 401;
  }

  async #renewApproval(): Promise<void> {
    const { assistant } = await readState();
    // After a revocation, the approval is a new one. The service rejects tokens that are older.
    if (this.#isRevoked || this.#isRejected) this.#connect(assistant.accessToken);
    else this.#accessToken = assistant.accessToken;
  }

  async #onBatch(side: Side, batch: PollBatch): Promise<void> {
    if (side === this.#assistant) {
      this.#log.add(batch, side.exchange(LIST_PATH));
      if (batch.entries.length > 0 && batch.since !== '') this.#strip.arrived();
    }
    // The assistant's requests may arrive first. The selection is kept until the buyer's are read.
    if (this.#buyer.hasRead && !this.#buyer.entries.has(this.#selected ?? '')) {
      this.#keepSelected(firstOf(this.#buyer));
    }
    const isSelected = batch.entries.some((entry) => entryId(entry) === this.#selected);
    if (batch.since === '' || isSelected || side.isStale) await this.#readSelected();
    else if (batch.entries.length > 0) this.#draw();
  }

  #onProblem(side: Side): void {
    if (side === this.#assistant && side.problem) {
      const { status, code, untilMs } = side.problem;
      if (status === 401) this.#rejectedAtMs ??= Date.now();
      this.#log.stop(pollState(status, code, untilMs !== null));
    }
    this.#draw();
    this.#reveal();
  }

  #select(id: string): void {
    history.pushState(null, '', addressOf(id));
    this.#show(id);
  }

  #show(id: string): void {
    this.#keepSelected(id);
    this.#draw();
    void this.#readSelected();
    // On a narrow screen the panes are below the list, so scroll to them.
    if (NARROW.matches) place('panes').scrollIntoView();
  }

  /**
   * Selects a request. The address contains it, so that it can be linked, and the tab's storage, so
   * that it is still selected after the approval page.
   */
  #keepSelected(id: string | undefined): void {
    this.#selected = id;
    if (id === undefined) return;
    sessionStorage.setItem(this.#place, id);
    history.replaceState(null, '', addressOf(id));
  }

  async #readSelected(): Promise<void> {
    const id = this.#selected;
    if (id !== undefined && this.#buyer.entries.get(id)?.kind === 'deal_set') {
      const sides = [this.#buyer, this.#assistant].filter(({ problem }) => problem?.status !== 401);
      // Read both sides at the same time, so that they show the same state.
      await Promise.all(sides.map((side) => side.read(id)));
    }
    this.#draw();
    this.#reveal();
  }

  #draw(): void {
    showLead(this.buyer, {
      ...this.state.assistant,
      accessToken: this.#accessToken,
      isRevoked: this.#isRevoked,
    });
    const entries = inOrder(this.#buyer.entries.values());
    const isSignedOut = this.#buyer.problem?.status === 401;
    const isEmpty = this.#buyer.hasRead && entries.length === 0 && !isSignedOut;
    const isReading = entries.length === 0 && !isEmpty;
    replace(
      place('requests'),
      el('h2', `${firstName(this.buyer)}’s requests`),
      isReading
        ? el('p.empty', isSignedOut ? '' : 'Loading…')
        : requestsList(entries, this.#selected, (id) => this.#select(id)),
    );
    document.body.classList.toggle('no-requests', isEmpty);
    const entry = this.#buyer.entries.get(this.#selected ?? '');
    const isApproved = this.#accessToken !== null && !this.#isRevoked && !this.#isRejected;
    const { name } = this.state.assistant;
    this.#strip.fit(
      entry && whyNoAction(entry),
      isApproved ? undefined : `${name} is not approved, so there is nothing to revoke.`,
    );
    this.#panes.buyer.draw(this.#assistant);
    this.#panes.assistant.draw(this.#buyer);
    this.#align();
  }

  #align(): void {
    align(this.#panes.buyer.element, this.#panes.assistant.element);
  }

  #notApproved(): Child {
    const { name } = this.state.assistant;
    const panel = el(
      'div.refused',
      el('p.status-code', '401'),
      el('h3', `${name} gets nothing`),
      el('p', this.#whyNothing()),
      el('p', el('a.button', { href: '/page/connect' }, `Approve ${name}`)),
    );
    return this.#rejectedAtMs === undefined ? panel : highlight(panel, this.#rejectedAtMs);
  }

  #whyNothing(): string {
    const { name } = this.state.assistant;
    const buyer = firstName(this.buyer);
    if (this.#isRevoked) {
      return `${buyer} has revoked the approval. Every call fails, even with a token that has not expired.`;
    }
    if (this.#rejectedAtMs === undefined) {
      return `${buyer} has not approved ${name}. Every call fails.`;
    }
    return `The service no longer accepts the token: the approval was revoked, or the token has expired.`;
  }
}

/** Returns the id of the request in the page's address. */
const linkedRequest = (): string | undefined =>
  new URLSearchParams(location.search).get('request') ?? undefined;

const addressOf = (id: string): string => `/?${new URLSearchParams({ request: id }).toString()}`;

/** Describes a poll that does not go on, in the words of a person who watches it. */
function pollState(status: number, code: string, isWaiting: boolean): string {
  if (status === 401) return 'stopped: not approved';
  if (!isWaiting) return `stopped: ${code}`;
  return `${WAITING[code] ?? 'failed'}, trying again`;
}

const WAITING: Readonly<Record<string, string>> = {
  network_error: 'offline',
  rate_limited: 'too many requests',
  unavailable: 'service not available',
  auth_unverifiable: 'sign-in not verifiable',
};

/** Returns why the actions cannot change this request, or undefined if they can. */
function whyNoAction(entry: ListEntry): string | undefined {
  if (entry.kind === 'single')
    return 'This request went to a single dealership. Choose one that went to several.';
  if (entry.section === 'inactive') return 'This request has ended. Choose another, or start over.';
  return undefined;
}

/**
 * Scrolls a line of buttons until all of the focused one is in sight. A browser does so only if no
 * part of it is in sight. A button that is pressed with the mouse stays under the mouse.
 */
function showFocused({ target }: Event): void {
  if (!(target instanceof Element)) return;
  if (!target.matches(':is(.requests, .buttons) :focus-visible')) return;
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

interface Tabs {
  readonly element: HTMLElement;
  show(who: string): void;
}

/** Creates the tabs that choose the pane on a phone, which shows one pane at a time. */
function tabs(...names: readonly (readonly [who: string, name: string])[]): Tabs {
  const buttons = names.map(([who, name]) =>
    button(name, () => show(who), { 'aria-controls': who, 'data-key': `tab-${who}` }),
  );
  const show = (shown: string): void => {
    for (const [index, [who]] of names.entries()) {
      document.body.classList.toggle(`shows-${who}`, who === shown);
      buttons[index]?.setAttribute('aria-pressed', String(who === shown));
    }
  };
  show('buyer');
  return { element: el('div.tabs', buttons), show };
}

function firstOf(side: Side): string | undefined {
  const [first] = inOrder(side.entries.values());
  return first && entryId(first);
}

try {
  const state = await readState();
  const page = state.buyer && new BuyerPage(state, state.buyer);
  // All tabs share one session, so a sign-in in another tab changes whose data this tab reads.
  const tabs = new BroadcastChannel('deal-sets-demo');
  tabs.addEventListener('message', ({ data }: MessageEvent<string | null>) => {
    if (data === (state.buyer?.name ?? null)) return;
    page?.stop();
    showOtherTab(data);
  });
  tabs.postMessage(state.buyer?.name ?? null);
  if (page) page.start();
  else showSignedOut(state);
} catch {
  replace(
    place('intro'),
    el('h1', 'The demo cannot be reached'),
    el('p.lead', 'Is it still running? Start it with npm run demo, then try again.'),
    button('Try again', () => location.reload()),
  );
}
document.body.classList.add('started');
