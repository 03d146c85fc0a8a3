import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SettingsError } from '../config/load-settings.js';
import { Settings } from '../config/settings.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';

/** Stops the start on a `ROLLOUT_*` variable that no endpoint declares: it is misspelt, and would do nothing. */
@Injectable()
export class DeclaredFlags implements OnModuleInit {
  constructor(
    private readonly settings: Settings,
    private readonly registry: EndpointRegistry,
  ) {}

  /** @throws {SettingsError} naming each such variable. */
  onModuleInit(): void {
    const { flags } = this.registry;
    const known = [...flags].map(variableOf).sort().join(', ');
    const lines = Object.keys(this.settings.rollout)
      // The service's own have defaults, also in an application without their endpoints.
      .filter((flag) => !flags.has(flag) && !SHIPPED.includes(flag))
      .map((flag) => `${variableOf(flag)}: expected a declared flag (${known})`);
    if (lines.length > 0) throw new SettingsError(lines);
  }
}

const SHIPPED = ['list', 'get', 'mcp'];

const variableOf = (flag: string): string => `ROLLOUT_${flag.toUpperCase()}`;
