import { Injectable, Module } from '@nestjs/common';
import { getDataSourceToken, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryGeneratedColumn, type DataSource, type Repository } from 'typeorm';
import { PriceCheck, TYPEORM_CONNECTION } from '../../src/index.js';
import { load, smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService } from '../setup/test-service.js';

/** A table of the team, on its own default connection. */
@Entity('price_target')
class PriceTarget {
  @PrimaryGeneratedColumn({ name: 'id' })
  id!: number;

  @Column({ name: 'cents', type: 'integer' })
  cents!: number;
}

@Injectable()
class PriceTargets {
  constructor(
    @InjectRepository(PriceTarget) private readonly targets: Repository<PriceTarget>,
    @InjectRepository(PriceCheck, 'deal-sets') private readonly checks: Repository<PriceCheck>,
  ) {}

  /** The highest target, and how many price checks have a price up to it. */
  async reached(buyerId: string): Promise<{ cents: number; checks: number }> {
    const [target] = await this.targets.find({ order: { cents: 'DESC' }, take: 1 });
    const cents = target?.cents ?? 0;
    const checks = await this.checks.find({ where: { buyerId } });
    return { cents, checks: checks.filter(({ otdCents }) => (otdCents ?? 0) <= cents).length };
  }

  add(cents: number): Promise<unknown> {
    return this.targets.insert({ cents });
  }
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

/** The names of the connections on the service's database, the test's own aside. */
async function connectionNames(): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

describe('the service by itself', () => {
  it('opens no TypeORM connection', async () => {
    const service = await TestService.start({ database });
    try {
      expect((await service.get('/api/v1/deal-sets', world.session)).status).toBe(200);
      const dataSource = service.app.get<DataSource>(getDataSourceToken(TYPEORM_CONNECTION));
      expect(dataSource.isInitialized).toBe(false);
      const names = await connectionNames();
      expect(names).toContain('deal-sets session reads');
      expect(names.filter((name) => !/ (reads|sign-in)$/.test(name))).toEqual([]);
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

    const service = await TestService.start({ database, extensions: { imports: [TeamModule] } });
    try {
      const targets = service.app.get(PriceTargets, { strict: false });
      await targets.add(3_200_000);
      await eventually(async () =>
        expect(await targets.reached(world.anna.id)).toEqual({ cents: 3_200_000, checks: 1 }),
      );
      expect(await connectionNames()).toContain('deal-sets repositories');
    } finally {
      await service.stop();
    }
    await eventually(async () => expect(await connectionNames()).toEqual([]));
  });
});
