import { READ_SCOPE, type AssistantPrincipal, type Principal } from '@deal-sets/service';

/** A buyer that no store contains. */
export const ANNA = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
/** Another buyer that no store contains. */
export const STRANGER = '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10';

const scopes: ReadonlySet<string> = new Set([READ_SCOPE]);

/** The principal of a buyer's session. */
export function sessionOf(buyerId: string): Principal {
  return Object.freeze({ type: 'session', buyerId, scopes });
}

/** The principal of an assistant, `assistant-1` unless given otherwise. */
export function assistantOf(
  buyerId: string,
  values: Partial<AssistantPrincipal> = {},
): AssistantPrincipal {
  return Object.freeze({
    type: 'assistant',
    buyerId,
    clientId: 'assistant-1',
    scopes,
    isHosted: false,
    seesChanges: false,
    ...values,
  });
}
