/** The sign-in state that the demo server returns. */
export interface PageState {
  readonly buyer: Buyer | null;
  readonly buyers: readonly Buyer[];
  /** The buyer's assistant. */
  readonly assistant: {
    readonly name: string;
    /** Null unless a buyer is signed in and currently approves the assistant. */
    readonly accessToken: string | null;
    /** Whether the buyer approved the assistant and then revoked the approval. */
    readonly isRevoked: boolean;
  };
}

/** A buyer of the demo. */
export interface Buyer {
  readonly id: string;
  readonly name: string;
}

/** The outcome of an action. */
export interface ActionResult {
  readonly isDone: boolean;
  /** A message to show on the page. It never contains a dealership's name. */
  readonly message: string;
}

/**
 * Reads the sign-in state from the demo server.
 *
 * @throws {Error} if the demo server cannot be reached or rejects the request.
 */
export async function readState(): Promise<PageState> {
  const response = await fetch('/page/state', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`/page/state responded with ${response.status}`);
  return (await response.json()) as PageState;
}

/**
 * Runs an action of the control strip on a deal set.
 *
 * @returns the outcome. If the demo server rejects the request, `message` describes the error.
 * @throws {Error} if the demo server cannot be reached.
 */
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
