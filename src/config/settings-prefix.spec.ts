import { ISSUER, errorLinesOf, SETTINGS } from '../../test/settings/settings-table.js';
import { loadSettings } from './settings.js';

describe('loadSettings with a prefix', () => {
  const prefix = 'DEAL_SETS_';
  const HOST_VARIABLES = {
    LOG_LEVEL: 'silly',
    PORT: 'http',
    DATABASE_URL: 'mysql://shop',
    ROLLOUT_CHECKOUT: '25%',
    ROLLOUT_LIST: 'off',
  };

  it('reads the variables with the prefix, and none of the host application', () => {
    const env = Object.fromEntries(
      SETTINGS.filter(([name]) => name !== 'NODE_ENV').map(([name, , , text]) => [name, text]),
    );
    const prefixed = Object.fromEntries(
      Object.entries(env).map(([name, text]) => [prefix + name, text]),
    );
    expect(loadSettings({ ...HOST_VARIABLES, ...prefixed }, { prefix })).toEqual(loadSettings(env));
    expect(loadSettings(HOST_VARIABLES, { prefix })).toEqual(loadSettings({}));
  });

  it('names variables as they are in the environment', () => {
    const env = {
      DEAL_SETS_PORT: 'x',
      DEAL_SETS_AUTH_ISSUER: ISSUER.AUTH_ISSUER,
      DEAL_SETS_ROLLOUT_Notes: 'on',
    };
    expect(errorLinesOf(() => loadSettings(env, { prefix }))).toEqual([
      'DEAL_SETS_PORT: expected a whole number from 0 to 65535',
      'DEAL_SETS_ROLLOUT_Notes: expected DEAL_SETS_ROLLOUT_NOTES',
      'DEAL_SETS_AUTH_AUDIENCE: expected to be set, because DEAL_SETS_AUTH_ISSUER, DEAL_SETS_AUTH_AUDIENCE go together: all or none',
    ]);
  });

  it('derives production from NODE_ENV, which describes the process', () => {
    const env = { NODE_ENV: 'production', DEAL_SETS_NODE_ENV: 'development' };
    expect(errorLinesOf(() => loadSettings(env, { prefix }))).toEqual([
      'DEAL_SETS_AUTH_ISSUER: expected to be set, with DEAL_SETS_AUTH_AUDIENCE, unless NODE_ENV is unset, development or test',
    ]);
  });
});
