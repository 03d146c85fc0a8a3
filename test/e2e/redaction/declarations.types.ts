/**
 * What the compiler refuses: every expected error here must be one. `declarations.spec.ts` compiles this
 * file, and so does `npm run typecheck`.
 */
import {
  nullable,
  shape,
  shown,
  text,
  withheld,
  type Field,
} from '../../../src/response-shape/field.js';
import type { WireOf } from '../../../src/response-shape/field.js';
import type { DraftItem } from '../../../src/deal-sets/dto/needs-you-item.js';
import type { Search } from '../../../src/deal-sets/dto/deal-set-result.js';

// A field declares who may see it, or it is no field.
// @ts-expect-error -- no audience
export const silent: Field<string, false> = { value: text, description: '', isOptional: false };

// A shape consists of declarations alone.
// @ts-expect-error -- a value without a declaration
export const careless = shape('Careless', '', { vin: text });

// A view fills what is declared, all of it, and nothing else.
export const whole: Search = { buyerZip: null, radiusMiles: 5 };
// @ts-expect-error -- a missing field
export const missing: Search = { buyerZip: null };
// @ts-expect-error -- an undeclared field
export const undeclared: Search = { buyerZip: null, radiusMiles: 5, latitude: 37.5 };
export const draft: Omit<DraftItem, 'previewComplete'> = {
  kind: 'draft',
  rowKey: '',
  label: '',
  requestId: '',
  // @ts-expect-error -- another type than declared
  preview: 5,
};

// What is withheld can be null, since an assistant's facts hold nothing there.
export const Small = shape('Small', '', {
  shown: shown(text, ''),
  secret: withheld(text, ''),
  none: shown(nullable(text), ''),
});
export const small: WireOf<typeof Small> = { shown: '', secret: null, none: null };
// @ts-expect-error -- null for what every reader gets
export const never: WireOf<typeof Small> = { shown: null, secret: null, none: null };
