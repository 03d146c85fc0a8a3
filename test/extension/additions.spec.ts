import { connect } from 'node:net';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { Counter } from 'prom-client';
import {
  Endpoint,
  RequestObserver,
  shape,
  shown,
  text,
  type DealSetsExtensions,
  type ObservedRequest,
} from '../../src/index.js';
import { createApp, loadSettings } from '../../src/index.js';
import { Metrics } from '../../src/observability/metrics.js';
import { smallWorld } from '../builders/index.js';
import { eventually } from '../setup/eventually.js';
import { teamSuite } from './with-team.js';

const world = smallWorld();
const LIST = '/api/v1/deal-sets';
const GET = `${LIST}/${world.set.id}`;
const team = teamSuite(world);

@Injectable()
class Trail {
  readonly requests: ObservedRequest[] = [];
}
@Module({ providers: [Trail], exports: [Trail] })
class TrailModule {}

@Injectable()
class AuditTrail extends RequestObserver {
  constructor(private readonly trail: Trail) {
    super();
  }
  observe(request: ObservedRequest): void {
    this.trail.requests.push(request);
  }
}
class Failing extends RequestObserver {
  observe({ status }: ObservedRequest): Promise<void> {
    if (status === 200) throw new Error('the trail is full');
    return Promise.reject(new Error('the trail is full'));
  }
}

describe('request observers', () => {
  it('see successes, refusals and aborts, and change no response by failing', async () => {
    const extensions: DealSetsExtensions = {
      imports: [TrailModule],
      requestObservers: [Failing, AuditTrail],
    };
    await team.withTeam(extensions, async (service) => {
      const { requests } = service.app.get(Trail, { strict: false });
      const since = '2026-01-01T00:00:00Z';
      const answered = await service.get(`${LIST}?since=${since}`, world.session);
      expect(answered.status).toBe(200);
      expect((await service.get(`${GET}?x=1&x=2`, undefined)).status).toBe(401);
      expect((await service.send('GET', '/nowhere', undefined)).status).toBe(404);
      await eventually(() => expect(requests.length).toBeGreaterThanOrEqual(4));
      // The first is the test's own look at the API description.
      const [, list, get, nowhere] = requests;
      expect(list).toMatchObject({
        id: answered.headers['service-request-id'],
        method: 'GET',
        route: LIST,
        parameters: {},
        query: { since },
        status: 200,
        code: undefined,
        principal: { type: 'session', buyerId: world.anna.id },
      });
      expect(list?.durationMs).toBeGreaterThan(0);
      expect(get).toMatchObject({
        route: `${LIST}/:id`,
        parameters: { id: world.set.id },
        query: { x: ['1', '2'] },
        status: 401,
        code: 'unauthenticated',
        principal: undefined,
      });
      expect(nowhere).toMatchObject({ status: 404, code: 'not_found', principal: undefined });

      const client = connect(service.port, '127.0.0.1');
      client.write(
        `GET ${GET} HTTP/1.1\r\nHost: x\r\nCookie: __Host-session=${world.session.cookie}\r\n\r\n`,
        () => client.resetAndDestroy(),
      );
      await eventually(() =>
        expect(requests.some(({ status }) => status === undefined)).toBe(true),
      );
      expect(service.logLines.some((line) => line.includes('request observer failed'))).toBe(true);
    });
  });
});

@Controller('acme')
class AcmeController {
  @Get('notes')
  @Endpoint({
    flag: 'notes',
    scope: 'notes:read',
    rateClass: 'read',
    response: shape('AcmeNotes', 'Notes.', { data: shown(text, 'The notes.') }),
    summary: 'Read',
  })
  notes(): { data: string } {
    return { data: 'x' };
  }
}
@Module({ controllers: [AcmeController] })
class AcmeModule {}

describe('the scopes of sessions', () => {
  const env = { ROLLOUT_NOTES: 'on' };
  it('are every declared scope, or those that the team names besides the contract’s', async () => {
    const statuses = async (sessionScopes: DealSetsExtensions['sessionScopes']) => {
      let seen: number[] = [];
      await team.withTeam(
        { imports: [AcmeModule], ...(sessionScopes && { sessionScopes }) },
        async (service) => {
          seen = [
            (await service.get(LIST, world.session)).status,
            (await service.send('GET', '/acme/notes', world.session)).status,
          ];
        },
        env,
      );
      return seen;
    };
    expect(await statuses(undefined)).toEqual([200, 200]);
    expect(await statuses([])).toEqual([200, 403]);
    expect(await statuses(['notes:read'])).toEqual([200, 200]);
  });

  it('stop the boot when no endpoint declares one', async () => {
    await expect(
      team.withTeam({ sessionScopes: ['notes:raed'] }, () => Promise.resolve()),
    ).rejects.toThrow('no endpoint declares notes:raed');
  });
});

describe('a log sink and metrics of a team', () => {
  it('receive every line, and are served beside the service’s', async () => {
    const lines: string[] = [];
    const exported = new Counter({ name: 'acme_exports_total', help: 'Exports', registers: [] });
    const settings = loadSettings({ DATABASE_URL: team.database.url, LOG_LEVEL: 'info' });
    const app = await createApp(settings, {
      logSink: { write: (line) => void lines.push(line) },
      metrics: [exported],
    });
    try {
      exported.inc();
      expect(lines.some((line) => line.includes('"msg":"parts in place"'))).toBe(true);
      for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
      const { registry } = app.get(Metrics);
      expect(await registry.metrics()).toContain('acme_exports_total 1');
    } finally {
      await app.close();
    }
  });

  it('stop the boot with a name of the service', async () => {
    const metric = new Counter({ name: 'deal_sets_x_total', help: 'x', registers: [] });
    await expect(team.withTeam({ metrics: [metric] }, () => Promise.resolve())).rejects.toThrow(
      'the prefix deal_sets_',
    );
  });

  it('fail without a request: the line goes to standard output', async () => {
    const { guardedSink } = await import('../../src/observability/log-sink.js');
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    guardedSink({
      write: () => {
        throw new Error('the sink is full');
      },
    }).write('{}\n');
    expect(written).toHaveBeenCalledWith('{}\n');
    written.mockRestore();
  });
});
