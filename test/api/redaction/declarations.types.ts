/**
 * Declarations that the compiler rejects: `npm run typecheck` compiles this file, and fails where
 * an expected error is missing.
 */
import type { DealSetsModuleAsyncOptions, DealSetsOptionsFactory } from '../../../src/index.js';
import { Search, type DraftItem } from '../../../src/deal-sets/dto/deal-set-result.js';
import { Endpoint } from '../../../src/endpoint/endpoint.decorator.js';
import type { VisibilityByPrincipal } from '../../../src/redaction/field.js';
import type { FieldMismatch } from '../../../src/redaction/field-decorator.types.js';
import {
  NeverTrue,
  ResponseDto,
  Shown,
  UnlessHosted,
  Withheld,
} from '../../../src/redaction/field.decorators.js';

// A declaration states the visibility for every type of principal.
// @ts-expect-error -- no visibility for an assistant
export const silent: VisibilityByPrincipal = { session: 'same' };

// A view must fill every declared field and no other field.
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

@ResponseDto('Properties that match their declarations.')
export class Fits {
  @Shown('A text.') readonly text!: string;
  @Shown('A number or null.', { type: 'decimal', isNullable: true }) readonly miles!: number | null;
  @Shown('Words.', { enum: ['a', 'b'] }) readonly word!: 'a' | 'b';
  @Shown('Texts.', { type: 'text', isList: true }) readonly texts!: readonly string[];
  @Withheld('A secret.', { type: 'text' }) readonly secret!: string | null;
  @NeverTrue('A flag.') readonly flag?: boolean;
  @UnlessHosted('A flag.') readonly partner?: boolean;
}

@ResponseDto('Properties that differ from their declarations.')
export class DoesNotFit {
  // @ts-expect-error -- a text that is declared as a number
  @Shown('A number.', { type: 'integer' }) readonly text!: string;
  // @ts-expect-error -- a withheld field that cannot be null
  @Withheld('A secret.', { type: 'text' }) readonly secret!: string;
  // @ts-expect-error -- null, which is not declared
  @Shown('A text.', { type: 'text' }) readonly nothing!: string | null;
  // @ts-expect-error -- a property that cannot be null, declared as nullable
  @Shown('A text.', { type: 'text', isNullable: true }) readonly always!: string;
  // @ts-expect-error -- a word that the enum does not declare
  @Shown('Words.', { enum: ['a', 'b'] }) readonly word!: 'a' | 'c';
  // @ts-expect-error -- a text that is declared as a list
  @Shown('Texts.', { type: 'text', isList: true }) readonly texts!: string;
  // @ts-expect-error -- a required property for a field that may be left out
  @NeverTrue('A flag.') readonly flag!: boolean;
  // @ts-expect-error -- an object of another class
  @Shown('A draft.', { type: () => Fits }) readonly draft!: DraftItem;
}

// The compiler's error on a wrong property ends with one of these messages.
export const withheld: FieldMismatch<string, { readonly type: 'text'; readonly isNullable: true }> =
  'This field can be null in a response: add `| null` to the type of the property';
export const nullable: FieldMismatch<string | null, { readonly type: 'text' }> =
  'The property can be null: declare `isNullable: true`, or use @Withheld';
export const optional: FieldMismatch<boolean, { type: 'boolean'; readonly isOptional: true }> =
  'This field may be left out of a response: make the property optional (`name?: …`)';
export const absent: FieldMismatch<string | undefined, { readonly type: 'text' }> =
  'The property is optional: declare `isOptional: true`, or remove the `?`';
export const otherType: FieldMismatch<string, { readonly type: 'integer' }> =
  'The type of the property differs from the declaration';

const policy = {
  flag: 'fits',
  scope: 'offers:read',
  rateClass: 'read',
  response: Search,
  summary: 'Read a search',
} as const;

// A handler returns what its endpoint declares as the response.
export class Handlers {
  @Endpoint(policy)
  whole(): Search {
    return { buyerZip: null, radiusMiles: 5 };
  }

  @Endpoint(policy)
  later(_id: string): Promise<Search> {
    return Promise.resolve({ buyerZip: null, radiusMiles: 5 });
  }

  // @ts-expect-error -- a missing field
  @Endpoint(policy)
  missing(): { buyerZip: null } {
    return { buyerZip: null };
  }

  // @ts-expect-error -- another type than declared
  @Endpoint(policy)
  otherType(): Promise<{ buyerZip: number; radiusMiles: number }> {
    return Promise.resolve({ buyerZip: 94110, radiusMiles: 5 });
  }

  // @ts-expect-error -- no result
  @Endpoint(policy)
  nothing(): void {
    return;
  }

  // @ts-expect-error -- a list where one object is declared
  @Endpoint(policy)
  list(): Search[] {
    return [];
  }
}

class Options implements DealSetsOptionsFactory {
  createDealSetsOptions = useFactory;
}
declare function useFactory(): { settings: object };

// The values of the module come from one source.
export const oneSource: DealSetsModuleAsyncOptions = { useClass: Options };
// @ts-expect-error -- a class and a factory
export const factoryToo: DealSetsModuleAsyncOptions = { useClass: Options, useFactory };
// @ts-expect-error -- a provider and a factory
export const existingToo: DealSetsModuleAsyncOptions = { useExisting: Options, useFactory };
// @ts-expect-error -- a class and a provider
export const classToo: DealSetsModuleAsyncOptions = { useClass: Options, useExisting: Options };
// @ts-expect-error -- no source
export const none: DealSetsModuleAsyncOptions = {};
