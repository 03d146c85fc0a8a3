import { LIST, type HttpResponse } from '../../setup/http-call.js';
import { signInSuite } from './sign-in-suite.js';

/** The place of a credential in a request, which the HTTP adapter can change. */
describe("the place of an assistant's access token", () => {
  const suite = signInSuite();

  function expectRejected(response: HttpResponse): void {
    expect([response.status, response.code]).toEqual([401, 'unauthenticated']);
    expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  }

  it.each(['Bearer', 'bEaReR'])('is accepted under the scheme %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${await suite.world.token()}` };
    expect((await suite.app.call(LIST, { headers })).status).toBe(200);
  });

  it('is rejected in two Authorization headers, even identical ones', async () => {
    const token = await suite.world.token();
    // Node sends a list as repeated headers.
    const authorization = [`Bearer ${token}`, `Bearer ${token}`] as unknown as string;
    expectRejected(await suite.app.call(LIST, { headers: { authorization } }));
  });

  it('is rejected beside a live session also where so many headers precede it that Node drops it', async () => {
    const headers = {
      host: 'localhost',
      cookie: `__Host-session=${suite.world.buyer.session.cookie}`,
      filler: Array.from({ length: 1_100 }, () => '') as unknown as string,
      authorization: 'Bearer garbage',
    };
    // Newer versions of Node reject such a request themselves, with 431.
    const { status } = await suite.app.call(LIST, { headers });
    expect([401, 431]).toContain(status);
  });
});
