import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Post,
  ValidationPipe,
} from '@nestjs/common';
import { IsIn, IsString } from 'class-validator';
import {
  Endpoint,
  RequestObserver,
  ResponseDto,
  Rollout,
  Shown,
  type ObservedRequest,
} from '../../../src/index.js';
import { smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { hostSuite } from '../../api/extension/with-host.js';

const world = smallWorld();
const { withHost } = hostSuite(world);
const SECRET = 'a-word-that-the-caller-wrote';

@ResponseDto('A visit.')
class Visit {
  @Shown('When.', { type: 'time' }) readonly at!: string;
}

class NewVisit {
  @IsString() readonly place!: string;
  @IsIn(['test drive']) readonly purpose!: string;
}

/**
 * Names the properties, as a team chooses for its own endpoints. The global pipe of the standalone
 * application skips a parameter of the type `object`.
 */
const explaining = new ValidationPipe({
  expectedType: NewVisit,
  exceptionFactory: (errors) =>
    new BadRequestException({
      code: 'invalid_visit',
      message: errors.map(({ property }) => `${property} is not valid`).join(', '),
    }),
});

@Controller('acme/visits')
class VisitsController {
  @Get()
  @Endpoint({ flag: 'visits', scope: 'offers:read', response: Visit })
  read(): Visit {
    return { at: new Date(0) as unknown as string };
  }

  @Post()
  @HttpCode(200)
  @Endpoint({ scope: 'offers:read', response: Visit, body: NewVisit })
  keep(@Body() _visit: NewVisit): Visit {
    return { at: new Date(0).toISOString() };
  }

  @Post('explained')
  @Endpoint({ scope: 'offers:read', response: Visit, body: NewVisit })
  keepOrExplain(@Body(explaining) _visit: object): Visit {
    return { at: new Date(0).toISOString() };
  }

  @Get('broken')
  @Endpoint({ scope: 'offers:read', response: Visit })
  broken(): Visit {
    const cause = Object.assign(new RangeError(SECRET), { code: 'ECONNREFUSED' });
    throw new TypeError(SECRET, { cause });
  }
}

@Module({ controllers: [VisitsController] })
class VisitsModule {}

const imports = [VisitsModule];
const PATH = '/acme/visits';

/**
 * Calls the service, and returns the status, the body and the line that the log has for the call.
 */
async function callAndLog(
  service: TestService,
  path: string,
  body?: object,
): Promise<{ status: number; text: string; line: Record<string, unknown> }> {
  const method = body ? 'POST' : 'GET';
  const headers = { 'content-type': 'application/json' };
  const {
    status,
    text,
    headers: sent,
  } = await service.send(
    method,
    path,
    world.session,
    body ? headers : {},
    body && JSON.stringify(body),
  );
  const id = String(sent['service-request-id']);
  let line: Record<string, unknown> = {};
  await eventually(() => {
    const lines = service.logLines.map((logged) => JSON.parse(logged) as typeof line);
    const own = lines.find((logged) => logged['id'] === id && logged['msg'] === 'request');
    expect(own).toBeDefined();
    line = own!;
  });
  return { status, text, line };
}

describe('the log line of a request', () => {
  it('names the flag that hides an endpoint, and whether it is set', async () => {
    await withHost({ imports }, async (service) => {
      const { status, line } = await callAndLog(service, PATH);
      expect([status, line]).toEqual([
        404,
        expect.objectContaining({ flag: 'visits', reason: 'flag_not_set' }),
      ]);
    });
    await withHost(
      { imports },
      async (service) => {
        const { status, line } = await callAndLog(service, PATH);
        expect([status, line]).toEqual([
          404,
          expect.objectContaining({ flag: 'visits', reason: 'flag_off' }),
        ]);
      },
      { env: { ROLLOUT_VISITS: 'off' } },
    );
  });

  it('names a flag that could not be read', () => {
    const isOn = () => Promise.reject(new Error('the flag server is down'));
    const providers = [{ provide: Rollout, useValue: { isOn } }];
    return withHost({ imports, providers }, async (service) => {
      const { status, line } = await callAndLog(service, PATH);
      expect([status, line]).toEqual([
        404,
        expect.objectContaining({ flag: 'visits', reason: 'flag_not_read' }),
      ]);
    });
  });

  it('names the properties of a rejected body, never a value or another name', () =>
    withHost({ imports }, async (service) => {
      const { status, text, line } = await callAndLog(service, PATH, {
        place: 5,
        purpose: SECRET,
        [SECRET]: 1,
      });
      expect([status, line['code']]).toEqual([400, 'invalid_request']);
      expect(line['rejectedProperties']).toEqual(['place', 'purpose']);
      expect(text).not.toMatch(/place|purpose/);
      expect(JSON.stringify(line)).not.toContain(SECRET);
      const good = await callAndLog(service, PATH, { place: 'here', purpose: 'test drive' });
      expect([good.status, good.line['rejectedProperties']]).toEqual([200, undefined]);
    }));

  it('names the field whose value has another type, and the type', () =>
    withHost(
      { imports },
      async (service) => {
        const { status, line } = await callAndLog(service, PATH);
        expect([status, line]).toEqual([
          500,
          expect.objectContaining({
            responseField: 'Visit.at',
            problem: 'expected a time, got a Date',
          }),
        ]);
      },
      { env: { ROLLOUT_VISITS: 'on' } },
    ));
});

describe('the start of the service', () => {
  it('names a flag that is not set', () =>
    withHost({ imports }, (service) =>
      eventually(() =>
        expect(service.logLines.join('')).toMatch(/"rollout":"[^"]*visits off \(not set\)/),
      ),
    ));
});

describe('the exception of a pipe', () => {
  it('is sent with its code and message from an own endpoint', () =>
    withHost({ imports }, async (service) => {
      const { status, text } = await callAndLog(service, `${PATH}/explained`, { place: 5 });
      expect([status, JSON.parse(text)]).toEqual([
        400,
        {
          error: {
            code: 'invalid_visit',
            message: 'place is not valid, purpose is not valid',
          },
        },
      ]);
    }));

  it('is never sent from an endpoint of the contract', () =>
    withHost({ imports }, async (service) => {
      const { status, text } = await callAndLog(service, `${LIST}?since=${SECRET}`);
      expect(status).toBe(400);
      expect(text).not.toContain(SECRET);
    }));
});

describe('the observer of requests', () => {
  it('gets the error behind a failure by its names, and none for other responses', async () => {
    const seen: ObservedRequest[] = [];
    const observe = (request: ObservedRequest): void => void seen.push(request);
    const providers = [{ provide: RequestObserver, useValue: { observe } }];
    await withHost({ imports, providers }, async (service) => {
      await callAndLog(service, `${PATH}/broken`);
      await callAndLog(service, `${PATH}/unknown`);
      await callAndLog(service, LIST);
    });
    const errors = new Map(seen.map(({ status, error }) => [status, error]));
    expect(errors.get(500)).toEqual({
      name: 'TypeError',
      code: undefined,
      problem: undefined,
      at: expect.arrayContaining([expect.stringContaining('first-hour.spec')]) as string[],
      causes: ['RangeError ECONNREFUSED'],
    });
    expect(errors.get(404)).toBeUndefined();
    expect(errors.get(200)).toBeUndefined();
    expect(JSON.stringify(seen)).not.toContain(SECRET);
  });
});
