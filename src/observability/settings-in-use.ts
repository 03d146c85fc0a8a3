import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import { settingOf } from '../config/setting-variables.js';
import { originOf } from '../config/settings-origin.js';
import { parseSettings, Settings } from '../config/settings.js';
import { UsesSettings } from '../config/uses-settings.decorator.js';
import { Log } from './logger.js';

/**
 * Variables of settings that only some modules use. A host application does not necessarily import
 * these modules.
 */
const OF_OPTIONAL_MODULES: readonly string[] = [
  'HOST',
  'PORT',
  'CORS_ORIGINS',
  'API_DOCS',
  'API_CONTACT',
  'MANAGEMENT_HOST',
  'MANAGEMENT_PORT',
  'MCP',
  'ROLLOUT_LIST',
  'ROLLOUT_GET',
  'ROLLOUT_MCP',
  'READ_RATE_LIMIT',
  'READ_RATE_WINDOW_SECONDS',
  'REDIS_URL',
  'FEED_MARGIN_MS',
  'SHUTDOWN_DELAY_MS',
  'SHUTDOWN_GRACE_MS',
];

/**
 * Variables that any application may use. If the variables have no prefix, these belong to the host
 * application and are not reported.
 */
const OF_EVERY_APPLICATION: readonly string[] = ['HOST', 'PORT', 'REDIS_URL'];

/**
 * Determines which settings have an effect in this application, and warns about those that have
 * none.
 */
@Injectable()
export class SettingsInUse implements OnApplicationBootstrap {
  constructor(
    private readonly settings: Settings,
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
    private readonly log: Log,
  ) {}

  /**
   * Whether the service listens on the port of its own settings, as the standalone application
   * does.
   */
  get isStandalone(): boolean {
    return this.#used().has('PORT');
  }

  /**
   * Logs the settings that differ from their defaults although no module uses them, and the
   * variables that begin with the prefix but are not settings.
   */
  onApplicationBootstrap(): void {
    const { source, unknownVariables } = originOf(this.settings);
    this.#warn(unknownVariables, 'unknown settings: correct their names, or choose another prefix');
    const { nameOf, isShared } = source;
    const used = this.#used();
    const defaults = parseSettings({});
    const unused = OF_OPTIONAL_MODULES.filter((variable) => {
      if (used.has(variable) || (isShared && OF_EVERY_APPLICATION.includes(variable))) return false;
      const [value, byDefault] = [this.settings, defaults].map((all) => settingOf(all, variable));
      return !isDeepStrictEqual(value, byDefault);
    });
    this.#warn(
      unused.map(nameOf),
      'settings without effect: the application imports no module that uses them',
    );
  }

  #warn(settings: readonly string[], message: string): void {
    if (settings.length > 0) this.log.warn({ settings }, message);
  }

  /** The variables that the providers and controllers of the application declare. */
  #used(): ReadonlySet<string> {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const declared = wrappers.flatMap(({ metatype }) =>
      typeof metatype === 'function' ? this.#declaredBy(metatype) : [],
    );
    return new Set(declared);
  }

  #declaredBy(metatype: object): readonly string[] {
    const key = UsesSettings.KEY;
    return this.reflector.get<readonly string[] | undefined>(key, metatype as Type) ?? [];
  }
}
