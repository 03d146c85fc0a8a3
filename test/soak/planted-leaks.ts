/** One change of a file: the text that is there, exactly once, and what is put in its place. */
export type Change = readonly [file: string, from: string, to: string];

export interface PlantedLeak {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Suites that are asked, as a pattern of their paths. */
  readonly suites: string;
}

const ROLES = 'migrations/1763600300000-reading-roles.up.sql';
const CLEANING = 'migrations/1763600100000-listing-cleaning.up.sql';
const FEED = 'migrations/1763600200000-feed.up.sql';
const FORMS = 'migrations/1763600500000-text-folding.up.sql';
const BY_INDEX = 'migrations/1763600520000-cleaning-by-index.up.sql';
const MODEL = 'migrations/1763600700000-read-model.up.sql';
const DISCLOSURE = 'src/deal-sets/domain/disclosure.ts';
const RESULT_STATEMENT = 'src/deal-sets/reader/result-statement.ts';
const RESULT = 'src/deal-sets/dto/deal-set-result.ts';
const ITEM = 'src/deal-sets/dto/open-item.ts';
const ROW_VIEW = 'src/deal-sets/view/row-view.ts';
const ENTRY_VIEW = 'src/deal-sets/view/list-entry-view.ts';
const RESULT_VIEW = 'src/deal-sets/view/deal-set-result-view.ts';
const WRITER = 'src/response-shape/response-serializer.ts';
const SERVICE = 'src/deal-sets/deal-sets.service.ts';

/** The first two layers gone: an assistant's role may select everything, and its statements do. */
const GRANT_ALL: Change = [
  MODEL,
  'REVOKE EXECUTE ON FUNCTION request_recompute',
  'GRANT SELECT ON ALL TABLES IN SCHEMA public TO deal_sets_assistant;\nREVOKE EXECUTE ON FUNCTION request_recompute',
];
const READ_ALL: Change = [
  DISCLOSURE,
  'READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false }',
  'READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: true }',
];
const OPEN: readonly Change[] = [GRANT_ALL, READ_ALL];
const ANSWERS = 'test/e2e/redaction/(noninterference|withholding)';

/** Mistakes that somebody could make, each of which tells an assistant (or the buyer) what is withheld. */
export const PLANTED_LEAKS: readonly PlantedLeak[] = [
  {
    name: 'a statement that reads a withheld column',
    changes: [READ_ALL],
    suites: ANSWERS,
  },
  {
    name: 'a role that may read dealership names',
    changes: [
      [
        ROLES,
        'GRANT SELECT ON reply, request_feed',
        'GRANT SELECT (id, name) ON dealership TO deal_sets_assistant;\nGRANT SELECT ON reply, request_feed',
      ],
    ],
    suites: 'test/(e2e/redaction/roles|integration/reading-roles)',
  },
  {
    name: 'a field: the count of dealerships found is declared for every reader',
    changes: [
      ...OPEN,
      [
        RESULT,
        "total: withheld(count, 'Dealerships the search found.')",
        "total: shown(nullable(count), 'Dealerships the search found.')",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a label: an assistant gets the name of a chosen dealership',
    changes: [
      ...OPEN,
      [
        ROW_VIEW,
        'SEES_NAMES[context.viewer] && row.dealershipName !== null',
        'row.dealershipName !== null',
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a label in the list: chosenLabels are names',
    changes: [...OPEN, [ENTRY_VIEW, 'SEES_NAMES[viewer] ? chosenNames : null', 'chosenNames']],
    suites: ANSWERS,
  },
  {
    name: 'an order: items by the distance of their rows',
    changes: [
      ...OPEN,
      [
        RESULT_STATEMENT,
        'ORDER BY i.at, i.kind, i.id, p.id',
        'ORDER BY p.distance_miles, i.at, i.kind, i.id, p.id',
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'an order: memberIds by distance',
    changes: [
      ...OPEN,
      [
        MODEL,
        "string_agg(r.id::text, ',' ORDER BY r.id)",
        "string_agg(r.id::text, ',' ORDER BY r.distance_miles, r.id)",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'an id: memberIds made from VINs',
    changes: [
      ...OPEN,
      [
        MODEL,
        "string_agg(r.id::text, ',' ORDER BY r.id)",
        "string_agg(md5(r.id::text || coalesce(r.listing_vin, '')), ',' ORDER BY r.id)",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a heading: the question in words',
    changes: [
      ...OPEN,
      [
        RESULT_VIEW,
        'heading: questionHeading(item.category, heading)',
        'heading: item.text ?? questionHeading(item.category, heading)',
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'an error: another answer for some ZIP codes',
    changes: [
      ...OPEN,
      [
        SERVICE,
        "if (!set) throw new AppError('not_found');",
        "if (!set || set.buyerZip === '00000') throw new AppError('not_found');",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'an error message: bodies that tell a ZIP code',
    changes: [
      ...OPEN,
      [
        SERVICE,
        "if (!set) throw new AppError('not_found');",
        "if (!set) throw new AppError('not_found');\n    if (set.radiusMiles === 12.5) throw new TypeError(set.buyerZip ?? '');",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a header: Service-More depends on how many dealerships were found',
    changes: [
      ...OPEN,
      [
        SERVICE,
        'return { answer: { data }, hasMore, asOf: null };',
        "const isWide = requests.some((one) => one.kind === 'deal_set' && (one.dealersFound ?? 0) > 1_000_000_000);\n    return { answer: { data }, hasMore: hasMore || isWide, asOf: null };",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a count: needsYou counts long drafts twice',
    changes: [
      ...OPEN,
      [
        RESULT_VIEW,
        'needsYou: needsYou.length, total',
        "needsYou: needsYou.length + set.openItems.filter((item) => item.kind === 'draft' && (item.opening ?? '').length > 100).length, total",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a length: blanks behind the body, as many as the ZIP code has characters',
    changes: [
      ...OPEN,
      [
        WRITER,
        'return this.#serializer(shape, principal)(result);',
        "const { data } = result as { data: { search?: { buyerZip: string | null } } };\n    return this.#serializer(shape, principal)(result) + ' '.repeat(data.search?.buyerZip?.length ?? 0);",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'previewComplete: an assistant learns which drafts are short',
    changes: [
      ...OPEN,
      [RESULT_VIEW, 'SEES_WORDS[viewer] && item.opening !== null', 'item.opening !== null'],
      [
        ITEM,
        "neverTrueForAssistants('True only when the preview is the whole draft.')",
        "optional(boolean, 'True only when the preview is the whole draft.')",
      ],
      [ITEM, 'neverTrueForAssistants,', 'optional,\n  boolean,'],
    ],
    suites: ANSWERS,
  },
  {
    name: 'the hosted flag: a hosted assistant is told who is a partner',
    changes: [
      [
        'src/response-shape/compile-serializer.ts',
        "(isHosted ? 'hosted-assistant' : 'assistant')",
        "'assistant'",
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'a rule that changes the principal widens what is written',
    changes: [
      [WRITER, '    const audience = audienceOf(principal);\n', ''],
      [
        WRITER,
        '    const key = hidden.size',
        '    const audience = audienceOf(principal);\n    const key = hidden.size',
      ],
    ],
    suites: 'test/extension',
  },
  {
    name: 'a hidden row gives the buyer its exact distance',
    changes: [
      [
        'src/deal-sets/domain/distance.ts',
        'if (miles === null || isSeen) return miles;',
        'if (miles === null || isSeen || miles) return miles;',
      ],
    ],
    suites: ANSWERS,
  },
  {
    name: 'cleaning that recognises nothing',
    changes: [
      [
        CLEANING,
        'IF part IS NULL THEN RETURN false; END IF;',
        'IF part IS NULL OR part <> $$$$ THEN RETURN false; END IF;'.replace('$$$$', "''"),
      ],
    ],
    suites: 'test/e2e/redaction/(cleaning|noninterference)',
  },
  {
    name: 'cleaning that looks at each part alone',
    changes: [[BY_INDEX, 'FROM line c', 'FROM clean c']],
    suites: 'test/e2e/redaction/cleaning',
  },
  {
    name: 'cleaning that decodes once',
    changes: [[CLEANING, 'EXIT WHEN decoded = encoded;', 'EXIT;']],
    suites: 'test/e2e/redaction/cleaning',
  },
  {
    name: 'a writer that shows what it likes',
    changes: [
      [
        FEED,
        'ELSIF pg_trigger_depth() = 1 THEN\n    NEW.shown_year := OLD.shown_year;',
        'ELSIF pg_trigger_depth() = 0 THEN\n    NEW.shown_year := OLD.shown_year;',
      ],
    ],
    suites: 'test/e2e/redaction/cleaning',
  },
  {
    name: 'a renaming that waits for nobody',
    changes: [
      [
        BY_INDEX,
        'ORDER BY f.buyer_id, f.request_id, f.kind FOR UPDATE OF f;\n    locked_',
        'ORDER BY f.buyer_id, f.request_id, f.kind;\n    locked_',
      ],
    ],
    suites: 'test/e2e/redaction/cleaning',
  },
  {
    name: 'the assistant’s reads under the buyer’s role',
    changes: [
      [
        'src/database/reading/reading-urls.ts',
        "assistant: 'deal_sets_assistant'",
        "assistant: 'deal_sets_reader'",
      ],
    ],
    suites: 'test/e2e/redaction/roles',
  },
  {
    name: 'a statement more for an assistant alone',
    changes: [
      [
        'src/deal-sets/reader/postgres-deal-set-reader.ts',
        'Promise<ActiveRequests> {\n    return this.database.read(viewer, deadline, async (node) => {',
        "Promise<ActiveRequests> {\n    return this.database.read(viewer, deadline, async (node) => {\n      if (viewer === 'assistant') await node.query({ name: 'more', text: 'SELECT 1' }, [], deadline);",
      ],
    ],
    suites: 'test/e2e/redaction/roles',
  },
  {
    name: 'a renaming that cleans nothing',
    changes: [
      [BY_INDEX, "PERFORM clean_requests(buyer_ids, request_ids, '{}', ARRAY[NEW.id]);", ''],
    ],
    suites: 'test/e2e/redaction/cleaning',
  },
  {
    name: 'masked words that no statement uses',
    changes: [[RESULT_STATEMENT, 'coalesce(i.masked_text, i.text)', 'i.text']],
    suites: 'test/e2e/redaction/shown-words',
  },
  {
    name: 'listings whose form is not looked at',
    changes: [[FORMS, "plain ~ '[@/]|[wW]{3}", "plain ~ '^[@/]$|[wW]{9}"]],
    suites: 'test/e2e/redaction/cleaning',
  },
  {
    name: 'a listing that shows its own VIN',
    changes: [[BY_INDEX, 'WHERE char_length(k) >= 8) END', 'WHERE char_length(k) >= 8000) END']],
    suites: 'test/e2e/redaction/cleaning',
  },
];
