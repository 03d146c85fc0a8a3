import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { PriceCheck } from '../../../src/entities.js';
import { SESSION_READS } from '../../../src/index.js';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

/** A table of the team, on its own default connection. */
@Entity('price_target')
class PriceTarget {
  @PrimaryGeneratedColumn({ name: 'id' })
  id!: number;

  @Column({ name: 'cents', type: 'integer' })
  cents!: number;
}

@Injectable()
class PriceTargets implements OnApplicationBootstrap {
  /** What it read before the service listened. */
  readonly atBootstrap: unknown[] = [];

  constructor(
    @InjectRepository(PriceTarget) private readonly targets: Repository<PriceTarget>,
    @InjectRepository(PriceCheck, SESSION_READS) private readonly checks: Repository<PriceCheck>,
    @InjectDataSource(SESSION_READS) private readonly reads: DataSource,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.atBootstrap.push(
      await this.pricesOf(world.anna.id),
      await this.reads.query('SELECT current_user AS role'),
    );
  }

  /** The assistants' role may not read everything: neither may this one. */
  async pricesOf(buyerId: string): Promise<(number | null)[]> {
    const checks = await this.checks.find({
      where: { buyerId },
      select: { buyerId: true, id: true, otdCents: true },
    });
    return checks.map(({ otdCents }) => otdCents);
  }

  async highest(): Promise<number | undefined> {
    const [target] = await this.targets.find({ order: { cents: 'DESC' }, take: 1 });
    return target?.cents;
  }

  add(cents: number): Promise<unknown> {
    return this.targets.insert({ cents });
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
let teamDatabase: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  teamDatabase = await createTestDatabase({ isEmpty: true });
  await load(database, world.records);
});
afterAll(async () => {
  await database.drop();
  await teamDatabase.drop();
});

/** The connections on the service's database, the test's own aside. */
async function connections(): Promise<{ name: string }[]> {
  return database.query(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY name`,
  );
}

describe('the service by itself', () => {
  it('opens no connection but those of its reading data sources', async () => {
    const service = await TestService.start({ database });
    try {
      expect((await service.get('/api/v1/deal-sets', world.session)).status).toBe(200);
      expect(await connections()).toEqual([
        { name: 'deal-sets assistant reads' },
        { name: 'deal-sets session reads' },
        { name: 'deal-sets sign-in' },
      ]);
    } finally {
      await service.stop();
    }
  });
});

describe("a team's module", () => {
  it('uses the entities of the service beside a default connection of its own', async () => {
    @Module({
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url: teamDatabase.url,
          entities: [PriceTarget],
          synchronize: true,
        }),
        TypeOrmModule.forFeature([PriceTarget]),
      ],
      providers: [PriceTargets],
    })
    class TeamModule {}

    const service = await TestService.start({ database, team: { imports: [TeamModule] } });
    try {
      const targets = service.app.get(PriceTargets, { strict: false });
      const prices = await targets.pricesOf(world.anna.id);
      expect(prices.length).toBeGreaterThan(0);
      expect(targets.atBootstrap).toEqual([prices, [{ role: 'deal_sets_reader' }]]);
      await targets.add(3_200_000);
      expect(await targets.highest()).toBe(3_200_000);
    } finally {
      await service.stop();
    }
    await eventually(async () => expect(await connections()).toEqual([]));
  });

  it('has repositories that reject as a lost connection does while the database is down', async () => {
    @Module({ providers: [Prices] })
    class PricesModule {}

    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere' };
    const service = await TestService.start({ database, env, team: { imports: [PricesModule] } });
    try {
      const { checks } = service.app.get(Prices, { strict: false });
      await expect(checks.find()).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      await service.stop();
    }
  });
});
