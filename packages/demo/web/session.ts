/** The demo server's state of the sign-in. */
export interface PageState {
  readonly buyer: Buyer | null;
  readonly buyers: readonly Buyer[];
  /** The buyer's assistant, with an access token while the buyer approves it. */
  readonly assistant: {
    readonly name: string;
    readonly accessToken: string | null;
    /** Whether the buyer approved it and then revoked the approval. */
    readonly isRevoked: boolean;
  };
}

export interface Buyer {
  readonly id: string;
  readonly name: string;
}

/** The outcome of an action. */
export interface ActionResult {
  readonly isDone: boolean;
  /** A message for people, without a dealership's name. */
  readonly message: string;
}

export async function readState(): Promise<PageState> {
  const response = await fetch('/page/state', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`/page/state answered ${response.status}`);
  return (await response.json()) as PageState;
}

export async function act(action: string, dealSetId: string): Promise<ActionResult> {
  const response = await fetch(`/page/actions/${action}`, {
    method: 'POST',
    body: new URLSearchParams({ dealSetId }),
  });
  if (response.ok) return (await response.json()) as ActionResult;
  const message =
    response.status === 401
      ? 'You are signed out. Reload the page and sign in.'
      : `The demo could not do that (HTTP ${response.status}).`;
  return { isDone: false, message };
}
