import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import {
  getRepositoryToken,
  InjectDataSource,
  InjectRepository,
  TypeOrmModule,
} from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { PriceCheck } from '../../../src/entities.js';
import { SESSION_READS } from '../../../src/index.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type TestServiceOptions } from '../../setup/test-service.js';

/** A table of the host application, on its own default connection. */
@Entity('price_target')
class PriceTarget {
  @PrimaryGeneratedColumn({ name: 'id' })
  id!: number;

  @Column({ name: 'cents', type: 'integer' })
  cents!: number;
}

/** Reads before the service listens. */
@Injectable()
class AtBootstrap implements OnApplicationBootstrap {
  role: unknown;
  constructor(@InjectDataSource(SESSION_READS) private readonly reads: DataSource) {}

  async onApplicationBootstrap(): Promise<void> {
    this.role = await this.reads.query('SELECT current_user AS role');
  }
}

@Injectable()
class Prices {
  constructor(
    @InjectRepository(PriceCheck, SESSION_READS) readonly checks: Repository<PriceCheck>,
  ) {}
}

const world = smallWorld();
let database: TestDatabase;
let hostDatabase: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  hostDatabase = await createTestDatabase({ isEmpty: true });
  await load(database, world.records);
});
afterAll(async () => {
  await database.drop();
  await hostDatabase.drop();
});

/** The connections to the service's database, except the test's own. */
async function connections(): Promise<{ name: string }[]> {
  return database.query(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY name`,
  );
}

async function withService(
  options: Omit<TestServiceOptions, 'database'>,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({ database, ...options });
  await work(service).finally(() => service.stop());
}

describe('the service on its own', () => {
  it('opens no connections except those of its reading data sources', () =>
    withService({}, async (service) => {
      expect((await service.get('/api/v1/deal-sets', world.session)).status).toBe(200);
      expect(await connections()).toEqual([
        { name: 'deal-sets assistant reads' },
        { name: 'deal-sets session reads' },
        { name: 'deal-sets sign-in' },
      ]);
    }));
});

describe("a host application's module", () => {
  @Module({ providers: [Prices, AtBootstrap] })
  class PricesModule {}

  it('uses the entities of the service beside a default connection of its own', async () => {
    const own = TypeOrmModule.forRoot({
      type: 'postgres',
      url: hostDatabase.url,
      entities: [PriceTarget],
      synchronize: true,
    });
    const hostOptions = { imports: [own, TypeOrmModule.forFeature([PriceTarget]), PricesModule] };
    await withService({ hostOptions }, async ({ app }) => {
      const prices = await app.get(Prices, { strict: false }).checks.find({
        where: { buyerId: world.buyer.id },
        // The role of assistants may not read everything, and neither may this repository.
        select: { buyerId: true, id: true, otdCents: true },
      });
      expect(prices).toMatchObject([{ otdCents: world.row.price?.otdCents }]);
      expect(app.get(AtBootstrap, { strict: false }).role).toEqual([{ role: 'deal_sets_reader' }]);
      const targets = app.get<Repository<PriceTarget>>(getRepositoryToken(PriceTarget), {
        strict: false,
      });
      await targets.insert({ cents: 3_200_000 });
      expect(await targets.find()).toMatchObject([{ cents: 3_200_000 }]);
    });
    await eventually(async () => expect(await connections()).toEqual([]));
  });

  it('has repositories that reject a stream, and read afterwards', () => {
    @Module({ providers: [Prices] })
    class OnlyPricesModule {}
    return withService({ hostOptions: { imports: [OnlyPricesModule] } }, async ({ app }) => {
      const { checks } = app.get(Prices, { strict: false });
      await expect(checks.createQueryBuilder('p').select('p.id').stream()).rejects.toThrow(
        'stream() does not work on "deal-sets session reads"',
      );
      expect(await checks.countBy({ buyerId: world.buyer.id })).toBe(1);
    });
  });

  it('has repositories that reject as for a lost connection while the database is down', () => {
    @Module({ providers: [Prices] })
    class OnlyPricesModule {}
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere' };
    return withService({ env, hostOptions: { imports: [OnlyPricesModule] } }, async ({ app }) => {
      const { checks } = app.get(Prices, { strict: false });
      await expect(checks.find()).rejects.toMatchObject({ code: 'unavailable' });
    });
  });
});
