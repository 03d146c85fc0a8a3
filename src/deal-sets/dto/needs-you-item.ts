import { labelled } from './car-label-field.js';
import {
  cents,
  described,
  neverTrueForAssistants,
  nullable,
  oneWord,
  shape,
  shown,
  text,
  withheld,
  type WireOf,
} from '../../response-shape/field.js';

const rowKey = shown(text, 'The row it belongs to.');
const label = labelled(text, 'Display text: the row’s label.');

/** A dealership's question that waits for the buyer. */
export const QuestionItem = shape(
  'QuestionItem',
  'A dealership’s question that waits for the buyer.',
  {
    kind: shown(oneWord('question'), 'Distinguishes a question from a draft.'),
    rowKey,
    label,
    promptId: shown(nullable(text), 'Opaque id of the prompt, when there is one.'),
    category: shown(text, 'What the question is about; an open set of values.'),
    heading: described(
      text,
      'Display text: fixed words for the category, then the label; in place of a label too long for a heading, the car’s year, model and trim.',
      'For an assistant the label is always the description of the car.',
    ),
    question: withheld(text, 'Display text: the question in the dealership’s words.'),
    answerMode: shown(text, 'How it can be answered; an open set of values.'),
    otdCents: shown(
      nullable(cents),
      'The out-the-door price that the question refers to, US cents.',
    ),
  },
);
export type QuestionItem = WireOf<typeof QuestionItem>;

/** A reply that was drafted for the buyer and waits for her. */
export const DraftItem = shape(
  'DraftItem',
  'A reply that was drafted for the buyer and waits for her.',
  {
    kind: shown(oneWord('draft'), 'Distinguishes a draft from a question.'),
    rowKey,
    label,
    requestId: shown(text, 'Opaque id of the draft.'),
    preview: withheld(text, 'Display text: how the draft begins.'),
    previewComplete: neverTrueForAssistants('True only when the preview is the whole draft.'),
  },
);
export type DraftItem = WireOf<typeof DraftItem>;

export type NeedsYouItem = QuestionItem | DraftItem;
