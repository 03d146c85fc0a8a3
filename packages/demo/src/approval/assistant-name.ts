/** Longer names are cut, so that an assistant cannot fill the page. */
const MAX_CHARACTERS = 60;

/** Line breaks, invisible characters, and characters that change the direction of text. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}\s]+/gu;

/**
 * Returns an assistant's name in a form that is safe to show on a page: on one line, at most 60
 * characters long. An assistant without a visible name is shown by its id.
 */
export function assistantName(name: string | undefined, clientId: string): string {
  const line = (name ?? '').replace(UNFIT, ' ').trim();
  return Array.from(line || clientId)
    .slice(0, MAX_CHARACTERS)
    .join('');
}
