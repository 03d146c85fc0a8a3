import { Global, Injectable, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { SettingsError } from '../config/load-settings.js';
import { Settings } from '../config/settings.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import type { PortProviders } from '../kernel/port-providers.js';
import { RolloutCheck } from './rollout.guard.js';
import { Rollout, SettingsRollout } from './rollout.js';

/** Flags of the service's own: their settings have defaults, also in an application without their endpoints. */
const SHIPPED = ['list', 'get', 'mcp'];

/** Stops the start on a `ROLLOUT_*` variable that no endpoint declares: it is misspelt, and would do nothing. */
@Injectable()
class DeclaredFlags implements OnModuleInit {
  constructor(
    private readonly settings: Settings,
    private readonly registry: EndpointRegistry,
  ) {}

  /** @throws {SettingsError} naming each such variable. */
  onModuleInit(): void {
    const variableOf = (flag: string): string => `ROLLOUT_${flag.toUpperCase()}`;
    const { flags } = this.registry;
    const known = [...flags].map(variableOf).sort().join(', ');
    const lines = Object.keys(this.settings.rollout)
      .filter((flag) => !flags.has(flag) && !SHIPPED.includes(flag))
      .map((flag) => `${variableOf(flag)}: expected a declared flag (${known})`);
    if (lines.length > 0) throw new SettingsError(lines);
  }
}

/** Which callers an endpoint is turned on for. */
@Global()
@Module({})
export class RolloutModule {
  static register(ports: PortProviders): DynamicModule {
    return {
      module: RolloutModule,
      imports: ports.imports,
      providers: [
        SettingsRollout,
        { provide: Rollout, useExisting: SettingsRollout },
        ...ports.of(Rollout),
        RolloutCheck,
        DeclaredFlags,
      ],
      exports: [RolloutCheck, Rollout],
    };
  }
}
