import { startService, type RunningService } from 'deal-sets';
import { openDemo, type OpenDemo } from 'deal-sets/demo';
import { demoSettings } from './demo-settings.js';
import { PageModule } from './page/page.module.js';

/** A demo that listens. */
export interface RunningDemo {
  readonly world: OpenDemo;
  readonly service: RunningService;
  /** Under which it is reached, without a slash at its end. */
  readonly publicUrl: string;
}

/** Loads the demo world and serves it, with the page, on one origin. */
export async function startDemo(env: NodeJS.ProcessEnv): Promise<RunningDemo> {
  const world = await openDemo(demoSettings(env));
  const { publicUrl = '' } = world.settings;
  try {
    const service = await startService(
      world.settings,
      { compatibility: '^2.0', imports: [PageModule] },
      { afterStop: () => world.close() },
    );
    return { world, service, publicUrl };
  } catch (error) {
    await world.close();
    throw error;
  }
}
