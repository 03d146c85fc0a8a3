const LIST = '/api/v1/deal-sets';

/**
 * The paths of the two reads, which the contract fixes. A host application with a global prefix
 * excludes them: `app.setGlobalPrefix('shop', { exclude: [...DEAL_SETS_ROUTES] })`.
 */
export const DEAL_SETS_ROUTES: readonly string[] = [LIST, `${LIST}/:id`];
