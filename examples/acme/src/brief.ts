import { Controller, Get, Module } from '@nestjs/common';
import { CurrentPrincipal, DealSetsApi, Endpoint, RequestSignal } from '@deal-sets/service';
import { ResponseDto, Shown, type Principal } from '@deal-sets/service';

@ResponseDto('The buyer’s requests in one sentence, for a voice assistant.')
class Brief {
  @Shown('The sentence.') readonly text!: string;
}

/**
 * An additional endpoint that uses the service's reads. The rollout, limits and redaction of the
 * service's endpoints also apply to these reads.
 */
@Controller('acme/brief')
class BriefController {
  constructor(private readonly dealSets: DealSetsApi) {}

  @Get()
  @Endpoint({
    flag: 'brief',
    scope: 'offers:read',
    rateClass: 'read',
    response: Brief,
    summary: 'The requests in one sentence',
  })
  async summarize(
    @CurrentPrincipal() principal: Principal,
    @RequestSignal() signal: AbortSignal,
  ): Promise<Brief> {
    const { response } = await this.dealSets.list(principal, {}, signal);
    const { data } = response;
    const prices = data.flatMap(({ lowestWrittenOtdCents: cents }) => cents ?? []);
    const lowest = prices.length > 0 ? `from $${Math.min(...prices) / 100}` : 'no price yet';
    return { text: `${data.length} requests, ${lowest}.` };
  }
}

/** The module of the endpoint. */
@Module({ controllers: [BriefController] })
export class BriefModule {}
