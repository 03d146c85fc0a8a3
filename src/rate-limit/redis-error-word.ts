/** The first words of the errors that Redis itself sends, of all versions. */
const WORDS: ReadonlySet<string> = new Set([
  'ASK',
  'BUSY',
  'CLUSTERDOWN',
  'CROSSSLOT',
  'DENIED',
  'ERR',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'MOVED',
  'NOAUTH',
  'NOPERM',
  'NOREPLICAS',
  'NOSCRIPT',
  'OOM',
  'READONLY',
  'TRYAGAIN',
  'WRONGPASS',
  'WRONGTYPE',
]);

/**
 * Returns the kind of an error that Redis sent, for the log: the first word of its message if it is
 * one of Redis's own, otherwise `other`. The rest of the message can contain keys and user names.
 */
export function redisErrorWord(message: string): string {
  const [word = ''] = message.split(' ', 1);
  return WORDS.has(word) ? word : 'other';
}
