import type { RedactionRule } from '@deal-sets/service';

/** Replaces a display text and a custom field. The functions get the values after redaction. */
export const replacedValues: RedactionRule = {
  replace: {
    // An assistant may quote the text out of context, so the text names its source.
    'Row.statusLabel': (text, { type }) => (type === 'assistant' ? `Acme: ${text}` : text),
    // The score is an estimate, so it is shown in steps of ten.
    'Row.acmeScore': (score: number) => Math.round(score / 10) * 10,
  },
  from: () => true,
};
