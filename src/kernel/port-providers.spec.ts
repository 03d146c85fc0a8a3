import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';
import { PortProviders } from './port-providers.js';

class Store {
  readonly name: string = 'shipped';
}
class OwnStore extends Store {
  override readonly name = 'own';
}
class Clock {
  readonly now = 0;
}
class Stranger {
  readonly name = 'stranger';
}
const PORT = Symbol('named');

const portsOf = (...providers: NonNullable<ModuleMetadata['providers']>): PortProviders =>
  new PortProviders([Store, Clock, PORT], { providers });

describe('providers in place of ports', () => {
  it('are given to the module of their port, in every form', () => {
    const value = { provide: Clock, useValue: new Clock() };
    const existing = { provide: PORT, useExisting: OwnStore };
    const ownClass = { provide: Store, useClass: OwnStore };
    const ports = portsOf(value, existing, ownClass, Store);
    expect(ports.of(Store)).toEqual([ownClass, Store]);
    expect(ports.of(Clock, PORT)).toEqual([value, existing]);
  });

  it('are none, without imports, where a team gives none', () => {
    const ports = new PortProviders([Store], {});
    expect([ports.of(Store), ports.imports]).toEqual([[], []]);
  });

  it.each([
    ['a class', Stranger, 'Stranger'],
    ['a provider of a class', { provide: Stranger, useValue: 1 }, 'Stranger'],
    ['a text', { provide: 'store', useValue: 1 }, 'store'],
    ['a symbol', { provide: Symbol('other'), useValue: 1 }, 'Symbol(other)'],
  ])('are refused with %s that is no port', (_what, provider, name) => {
    expect(() => portsOf(provider)).toThrow(
      `providers: ${name} is no port: expected one of Store, Clock, Symbol(named)`,
    );
  });

  it.each([undefined, null])('are refused with the value %s', (useValue) => {
    expect(() => portsOf({ provide: Store, useValue })).toThrow('no value was given for Store');
  });

  it.each([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a promise of nothing', () => Promise.resolve(undefined)],
  ])('reject when their factory returns %s', async (_what, useFactory) => {
    const [provider] = portsOf({ provide: Store, useFactory }).of(Store) as FactoryProvider[];
    await expect(provider!.useFactory()).rejects.toThrow('no value was given for Store');
  });

  it('keep the dependencies and the result of a factory', async () => {
    const useFactory = (clock: Clock) => Promise.resolve({ clock });
    const [provider] = portsOf({ provide: Store, useFactory, inject: [Clock] }).of(
      Store,
    ) as FactoryProvider[];
    const clock = new Clock();
    expect(provider!.inject).toEqual([Clock]);
    expect(await provider!.useFactory(clock)).toEqual({ clock });
  });
});
