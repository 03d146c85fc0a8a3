import { loadSettings } from '../config/load-settings.js';
import type { EndpointRegistry } from '../http/endpoint-registry.js';
import { RateClasses, type RateClass } from './rate-classes.js';

/** The classes of a service with one endpoint of this class. */
function classes(own: Readonly<Record<string, RateClass>>, rateClass = 'read'): RateClasses {
  const settings = loadSettings({});
  const endpoints = [{ name: 'ListController.list', declared: { rateClass } }];
  return new RateClasses(settings, { endpoints } as unknown as EndpointRegistry, own);
}

describe('the rate classes at the start', () => {
  it('accept the class of the contract and a class of the team', () => {
    const own = { export: { limit: 1, windowSeconds: 3600 } };
    expect(() => classes(own, 'export').onModuleInit()).not.toThrow();
    expect(classes(own).find('export')).toBe(own.export);
    expect(classes(own).find('read')).toEqual({ limit: 120, windowSeconds: 60 });
  });

  it.each([
    { limit: 0, windowSeconds: 60 },
    { limit: 1.5, windowSeconds: 60 },
    { limit: 10, windowSeconds: 0 },
  ])('refuse $limit requests in $windowSeconds s', (own) => {
    expect(() => classes({ own }).onModuleInit()).toThrow(
      'Rate class own: limit must be a whole number of 1 or more, windowSeconds above 0',
    );
  });

  it('refuse an endpoint whose class is not declared', () => {
    expect(() => classes({}, 'export').onModuleInit()).toThrow(
      'ListController.list: rate class export is not declared',
    );
  });

  it('refuse another class of the name that the contract uses', () => {
    expect(() => classes({ read: { limit: 1_000, windowSeconds: 60 } })).toThrow(
      'The rate class read is the contract’s',
    );
  });
});
