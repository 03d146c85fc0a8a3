import { JwtAccessTokenVerifier } from '../../src/auth/access-token/jwt-access-token-verifier.js';
import { accessTokenVerifierContract } from '../../src/testing/access-token-verifier.contract.js';
import { AUDIENCE, ISSUER, makeKey, makeToken } from '../setup/test-issuer.js';
import { runContract } from './run-contract.js';

describe('the verifier of JWT access tokens', () => {
  const key = makeKey('key-1');
  const buyerId = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
  const known = (keyId: string) => (keyId === key.kid ? key.publicKey : undefined);
  const verifier = new JwtAccessTokenVerifier(
    { issuer: ISSUER, audiences: [AUDIENCE] },
    { known, find: (keyId) => Promise.resolve(known(keyId)) },
  );
  const token = (claims: Record<string, unknown>, signer = key) =>
    makeToken(signer, buyerId, { claims });

  runContract(
    accessTokenVerifierContract({
      verifier: () => verifier,
      // Downloads of the key set are shared by all callers, and have a limit of their own.
      hung: null,
      issue: ({ clientId, scopes }) => token({ client_id: clientId, scope: scopes.join(' ') }),
      refused: {
        expired: () => token({ exp: Math.floor(Date.now() / 1000) - 1 }),
        'of another issuer': () => token({ iss: 'https://other.test' }),
        'for another audience': () => token({ aud: 'https://other.test/api' }),
        'signed with another key': () => token({}, makeKey('key-1')),
      },
    }),
  );
});
