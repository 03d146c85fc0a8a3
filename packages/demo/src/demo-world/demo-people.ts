/**
 * The id of the demo buyer. The ids of the demo world are fixed, so that loading it again adds
 * nothing.
 */
export const DEMO_BUYER_ID = 'b0000000-0000-4000-8000-000000000001';
/** The id of a second buyer, who has other requests. */
export const OTHER_BUYER_ID = 'b0000000-0000-4000-8000-000000000002';

/** The ids of the deal sets. */
export const DEMO_SETS = {
  ready: demoId('5e', 1),
  inProgress: demoId('5e', 2),
  ended: demoId('5e', 3),
  /** Belongs to the other buyer. */
  others: demoId('5e', 4),
} as const;

/** The client ids of the demo buyer's assistants. */
export const DEMO_CLIENTS = {
  approved: 'road-helper',
  hosted: 'site-concierge',
  revoked: 'old-helper',
  /** This assistant is approved, but not to read offers. */
  withoutScope: 'form-filler',
} as const;

/** The names of the assistants by client id. */
export const DEMO_CLIENT_NAMES: Readonly<Record<string, string>> = {
  [DEMO_CLIENTS.approved]: 'Road Helper',
  [DEMO_CLIENTS.hosted]: 'Site Concierge',
  [DEMO_CLIENTS.revoked]: 'Old Helper',
  [DEMO_CLIENTS.withoutScope]: 'Form Filler',
};

/** The scope of an assistant that may not read offers. */
export const OTHER_SCOPE = 'requests:submit';

/**
 * Returns the fixed id of a demo record.
 *
 * @param kind two hex digits that are unique to the kind of record.
 */
export function demoId(kind: string, number: number): string {
  return `${kind}000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
