import type { InjectionToken, Provider, Type } from '@nestjs/common';

/** How a team puts its own part in place of a default: a class, a factory with its dependencies, or an object. */
export type Seam<T> =
  | Type<T>
  | {
      readonly useFactory: (...dependencies: never[]) => T | Promise<T>;
      readonly inject?: InjectionToken[];
    }
  | { readonly useValue: T };

/**
 * The Nest provider of a port: the team's part where one is given, else the default. Modules bind their
 * ports through it because Nest cannot replace a provider from outside the module that declares it.
 */
export function seamProvider<T>(
  port: InjectionToken<T>,
  override: Seam<T> | undefined,
  standard: Seam<T>,
): Provider {
  const seam = override ?? standard;
  if (typeof seam === 'function') return { provide: port, useClass: seam };
  if ('useFactory' in seam) {
    return {
      provide: port,
      useFactory: seam.useFactory as () => T,
      inject: [...(seam.inject ?? [])],
    };
  }
  return { provide: port, useValue: seam.useValue };
}
