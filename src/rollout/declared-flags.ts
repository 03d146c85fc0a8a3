import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SettingsError } from '../config/environment-reader.js';
import { originOf } from '../config/settings-origin.js';
import { Settings } from '../config/settings.js';
import { RouteDiscovery } from '../http/route-discovery.js';
import { Log } from '../observability/logger.js';
import { SettingsInUse } from '../observability/settings-in-use.js';
import { RolloutFlag } from './rollout-flag.decorator.js';

/**
 * The service's own flags. Their settings have defaults, even in an application without their
 * endpoints.
 */
const SHIPPED = ['list', 'get', 'mcp'];

/** Checks the rollout settings against the flags that handlers declare. */
@Injectable()
export class DeclaredFlags implements OnModuleInit {
  constructor(
    private readonly settings: Settings,
    private readonly discovery: RouteDiscovery,
    private readonly inUse: SettingsInUse,
    private readonly log: Log,
  ) {}

  /**
   * Checks that an endpoint declares the flag of each rollout setting. If a host application uses
   * variables without a prefix, an undeclared flag may be one of its own, so only a warning is
   * logged.
   *
   * @throws {SettingsError} for a `ROLLOUT_*` variable whose flag no endpoint declares, for example
   *   because the variable is misspelled, and for a declared flag whose value cannot be parsed.
   */
  onModuleInit(): void {
    const { source, invalidFlags } = originOf(this.settings);
    const { nameOf, isShared } = source;
    const variableOf = (flag: string): string => nameOf(`ROLLOUT_${flag.toUpperCase()}`);
    const flags = new Set(this.discovery.declarations(RolloutFlag).map(({ value }) => value));
    const known = [...flags].map(variableOf).sort().join(', ');
    const wrong = Object.entries(invalidFlags).filter(([flag]) => flags.has(flag));
    if (wrong.length > 0) throw SettingsError.from(wrong.map(([, setting]) => setting));
    const undeclared = [...Object.keys(this.settings.rollout), ...Object.keys(invalidFlags)]
      .filter((flag) => !flags.has(flag) && !SHIPPED.includes(flag))
      .map(variableOf);
    if (undeclared.length === 0) return;
    if (isShared && !this.inUse.isStandalone) {
      this.log.warn({ settings: undeclared }, 'no endpoint declares the flags of these settings');
      return;
    }
    throw new SettingsError(
      undeclared.map((variable) => `${variable}: expected a declared flag (${known})`),
    );
  }
}
