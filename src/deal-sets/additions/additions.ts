import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import type { DealSetFacts, RequestFacts } from '../domain/facts.js';
import { Texts } from '../domain/texts.js';
import type { HiddenFacts } from '../redaction/listing-facts.js';
import { ListingRedaction } from '../redaction/listing-redaction.js';
import type { ResultViewOptions } from '../view/deal-set-result-view.js';
import type { EntryViewOptions } from '../view/list-entry-view.js';
import { OwnFieldLoader } from './own-field-loader.js';

/** What a team adds to, and hides from, the entries of one response. */
export type EntryAdditions = EntryViewOptions & { readonly hidden: HiddenFacts };

/** A team's fields and texts, and what its rules hide, for each response and its principal. */
@Injectable()
export class Additions {
  constructor(
    private readonly loader: OwnFieldLoader,
    private readonly redaction: ListingRedaction,
    private readonly texts: Texts,
  ) {}

  async ofEntries(
    requests: readonly RequestFacts[],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<EntryAdditions> {
    const { texts, loader } = this;
    const hidden = this.redaction.hiddenFrom(principal);
    if (!loader.has('dealSetEntry') && !loader.has('singleEntry')) return { hidden, texts };
    const idsOf = (kind: RequestFacts['kind']): string[] =>
      requests.filter((request) => request.kind === kind).map(({ id }) => id);
    const [ofSets, ofSingles] = await Promise.all([
      loader.load('dealSetEntry', idsOf('deal_set'), principal, signal),
      loader.load('singleEntry', idsOf('single'), principal, signal),
    ]);
    return { hidden, texts, ownValues: { deal_set: ofSets, single: ofSingles } };
  }

  async ofResult(
    { priceChecks }: DealSetFacts,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<ResultViewOptions> {
    const { texts, loader } = this;
    const hidden = this.redaction.hiddenFrom(principal);
    if (!loader.has('row')) return { hidden, texts };
    const ids = priceChecks.map(({ id }) => id);
    return { hidden, texts, ownValues: await loader.load('row', ids, principal, signal) };
  }
}
