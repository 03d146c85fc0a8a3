const PREVIEW_CHARACTERS = 280;

export interface Preview {
  readonly text: string;
  readonly isComplete: boolean;
}

/** How a draft begins: its first 280 characters, cut between characters and never inside one. */
export function previewOf(body: string): Preview {
  if (body.length <= PREVIEW_CHARACTERS) return { text: body, isComplete: true };
  let text = '';
  let characters = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(body)) {
    if (characters === PREVIEW_CHARACTERS) return { text, isComplete: false };
    text += segment;
    characters += 1;
  }
  return { text, isComplete: true };
}
