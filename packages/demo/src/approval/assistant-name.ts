/** Longer names are cut: the page is not theirs. */
const MAX_CHARACTERS = 60;

/** Line breaks, and what is invisible or turns the direction of writing. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}\s]+/gu;

/**
 * What an assistant calls itself, as a page may show it: one line; its id where it has no visible
 * name.
 */
export function assistantName(name: string | undefined, clientId: string): string {
  const line = (name ?? '').replace(UNFIT, ' ').trim();
  return Array.from(line || clientId)
    .slice(0, MAX_CHARACTERS)
    .join('');
}
