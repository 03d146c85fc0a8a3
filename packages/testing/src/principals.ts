import type { AssistantPrincipal, Principal } from '@deal-sets/service';

/** The id of a buyer that no store contains. */
export const ANNA = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
/** The id of another buyer that no store contains. */
export const STRANGER = '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10';

/** Returns the principal of a buyer's session. */
export function sessionOf(buyerId: string): Principal {
  return Object.freeze({ type: 'session', buyerId });
}

/** Returns the principal of an assistant of a buyer, by default `assistant-1`. */
export function assistantOf(
  buyerId: string,
  values: Partial<AssistantPrincipal> = {},
): AssistantPrincipal {
  return Object.freeze({
    type: 'assistant',
    buyerId,
    clientId: 'assistant-1',
    scopes: new Set(['offers:read']),
    isHosted: false,
    seesChanges: false,
    ...values,
  });
}
