import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SettingsError } from '../config/environment-reader.js';
import { Settings } from '../config/settings.js';
import { RouteDiscovery } from '../http/route-discovery.js';
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
  ) {}

  /**
   * @throws {SettingsError} for a `ROLLOUT_*` variable whose flag no endpoint declares: it is
   *   misspelt.
   */
  onModuleInit(): void {
    const variableOf = (flag: string): string => `ROLLOUT_${flag.toUpperCase()}`;
    const flags = new Set(this.discovery.declarations(RolloutFlag).map(({ value }) => value));
    const known = [...flags].map(variableOf).sort().join(', ');
    const lines = Object.keys(this.settings.rollout)
      .filter((flag) => !flags.has(flag) && !SHIPPED.includes(flag))
      .map((flag) => `${variableOf(flag)}: expected a declared flag (${known})`);
    if (lines.length > 0) throw new SettingsError(lines);
  }
}
