import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  CurrentPrincipal,
  Endpoint,
  ResponseDto,
  SESSION_READS,
  Shown,
  type Principal,
} from '@deal-sets/service';
import { PriceCheck } from '@deal-sets/service/entities';
import { IsNull, Not, type Repository } from 'typeorm';

@ResponseDto('How many of the requested dealerships have answered.')
class Answers {
  @Shown('The requested dealerships.', { type: 'count' }) readonly requested!: number;
  @Shown('Those that have answered.', { type: 'count' }) readonly answered!: number;
}

/**
 * Counts the buyer's price checks with a TypeORM repository of the service's entities. It reads
 * under the database role of a buyer's session, and cannot write.
 */
@Injectable()
class AnswersService {
  constructor(
    @InjectRepository(PriceCheck, SESSION_READS)
    private readonly priceChecks: Repository<PriceCheck>,
  ) {}

  async count(buyerId: string): Promise<Answers> {
    const [requested, answered] = await Promise.all([
      this.priceChecks.countBy({ buyerId }),
      this.priceChecks.countBy({ buyerId, answer: Not(IsNull()) }),
    ]);
    return { requested, answered };
  }
}

/** Serves the counts. It admits only sessions, because the repository reads under their role. */
@Controller('acme/answers')
class AnswersController {
  constructor(private readonly answers: AnswersService) {}

  @Get()
  @Endpoint({
    flag: 'answers',
    scope: 'offers:read',
    rateClass: 'read',
    principals: ['session'],
    response: Answers,
    summary: 'How many dealerships have answered',
  })
  count(@CurrentPrincipal() { buyerId }: Principal): Promise<Answers> {
    return this.answers.count(buyerId);
  }
}

/** The module of the endpoint. */
@Module({ controllers: [AnswersController], providers: [AnswersService] })
export class AnswersModule {}
