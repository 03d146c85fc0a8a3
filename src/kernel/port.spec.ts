import { AppError } from './app-error.js';
import { assertImplemented, callPort, PortError } from './port.js';

describe('a call of a port', () => {
  it('returns what the implementation returns', async () => {
    expect(await callPort('Store', () => 1)).toBe(1);
    expect(await callPort('Store', () => Promise.resolve(2))).toBe(2);
  });

  it('names the port in any error but one of the service', async () => {
    const cause = new TypeError('of the website');
    const throwing = (): never => {
      throw cause;
    };
    for (const call of [throwing, () => Promise.reject(cause)]) {
      const error: unknown = await callPort('Store', call).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(PortError);
      expect(error).toMatchObject({ port: 'Store', cause });
    }
    const own = new AppError('unauthenticated');
    await expect(callPort('Store', () => Promise.reject(own))).rejects.toBe(own);
  });
});

describe('the check of an implementation', () => {
  it.each([null, undefined, {}, { find: 'text' }, { findOne: () => null }])(
    'names the port and the method that %p lacks',
    (implementation) => {
      expect(() => assertImplemented('Store', ['find'], implementation)).toThrow(
        'providers: the provider of Store has no method find: implement the class Store of this version',
      );
    },
  );

  it('accepts methods of its own and inherited ones', () => {
    class Store {
      find(): null {
        return null;
      }
    }
    expect(() => assertImplemented('Store', ['find'], new Store())).not.toThrow();
    expect(() => assertImplemented('Store', ['find'], { find: () => null })).not.toThrow();
  });
});
