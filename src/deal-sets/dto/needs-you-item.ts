import {
  Described,
  NeverTrue,
  ResponseDto,
  Shown,
  Withheld,
} from '../../redaction/field.decorators.js';
import { A_CAR } from './car-label-field.js';

/** A dealership's question that waits for the buyer. */
@ResponseDto('A dealership’s question that waits for the buyer.')
export class QuestionItem {
  @Shown('Distinguishes a question from a draft.', { words: ['question'] })
  readonly kind!: 'question';

  @Shown('The row it belongs to.')
  readonly rowKey!: string;

  @Described('Display text: the row’s label.', A_CAR)
  readonly label!: string;

  @Shown('Opaque id of the prompt, when there is one.', { type: 'text', isNullable: true })
  readonly promptId!: string | null;

  @Shown('What the question is about; an open set of values.')
  readonly category!: string;

  @Described(
    'Display text: fixed words for the category, then the label; in place of a label too long for a heading, the car’s year, model and trim.',
    'For an assistant the label is always the description of the car.',
  )
  readonly heading!: string;

  @Withheld('Display text: the question in the dealership’s words.', { type: 'text' })
  readonly question!: string | null;

  @Shown('How it can be answered; an open set of values.')
  readonly answerMode!: string;

  @Shown('The out-the-door price that the question refers to, US cents.', {
    type: 'integer',
    isNullable: true,
  })
  readonly otdCents!: number | null;
}

/** A reply that was drafted for the buyer and waits for her. */
@ResponseDto('A reply that was drafted for the buyer and waits for her.')
export class DraftItem {
  @Shown('Distinguishes a draft from a question.', { words: ['draft'] })
  readonly kind!: 'draft';

  @Shown('The row it belongs to.')
  readonly rowKey!: string;

  @Described('Display text: the row’s label.', A_CAR)
  readonly label!: string;

  @Shown('Opaque id of the draft.')
  readonly requestId!: string;

  @Withheld('Display text: how the draft begins.', { type: 'text' })
  readonly preview!: string | null;

  @NeverTrue('True only when the preview is the whole draft.')
  readonly previewComplete?: boolean;
}

export type NeedsYouItem = QuestionItem | DraftItem;
