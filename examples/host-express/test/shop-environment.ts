import type { TestService } from '@deal-sets/testing';

/** The address of the shop for its visitors. */
export const PUBLIC_URL = 'http://localhost:3000';
/** The key of the shop's own tokens. */
export const TOKEN_SECRET = 'a secret of the shop, long enough';

/**
 * Returns the environment of a shop that uses the database and the issuer of the service. The last
 * variables belong only to the shop. Their values would not be valid settings of the deal sets.
 */
export function environmentOf({ databaseUrl, settings }: TestService): Record<string, string> {
  const { issuer = '', audiences = [], jwksUrl = '' } = settings.issuer ?? {};
  return {
    DATABASE_URL: databaseUrl,
    SHOP_TOKEN_SECRET: TOKEN_SECRET,
    PUBLIC_URL,
    LOGIN_ISSUER: issuer,
    LOGIN_KEYS_URL: jwksUrl,
    API_AUDIENCE: audiences.join(','),
    LOG_LEVEL: 'verbose',
    ROLLOUT_CHECKOUT: 'a fifth of the customers',
  };
}
