/** The two read endpoints, as rollout flags and metrics name them. */
export type Endpoint = 'list' | 'get';
