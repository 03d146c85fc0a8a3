import { Module, type DynamicModule } from '@nestjs/common';
import { Admission } from './admission.js';

@Module({})
export class AdmissionModule {
  /** @param checks the modules that export the rollout check and the rate limiter. */
  static register(...checks: DynamicModule[]): DynamicModule {
    return {
      module: AdmissionModule,
      imports: checks,
      providers: [Admission],
      exports: [Admission],
    };
  }
}
