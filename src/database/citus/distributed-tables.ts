/** Tables of a buyer's data, and those by which parts get orders, with the column that names her. Rows of one buyer are on one worker. */
export const BUYERS_TABLES: Readonly<Record<string, string>> = {
  buyer: 'id',
  assistant_grant: 'buyer_id',
  deal_set: 'buyer_id',
  price_check: 'buyer_id',
  question: 'buyer_id',
  draft: 'buyer_id',
  reply: 'buyer_id',
  request_feed: 'buyer_id',
  rebuild_batch: 'buyer_id',
  stamp_order: 'buyer_id',
};

/** Tables that every node has whole. */
export const REFERENCE_TABLES: readonly string[] = [
  'dealership',
  'dealership_identifier',
  'car_term',
  'html_entity',
  'rules_in_use',
];

/** All that are not only on the coordinator. */
export const DISTRIBUTED_TABLES: readonly string[] = [
  ...Object.keys(BUYERS_TABLES),
  ...REFERENCE_TABLES,
];
