import {
  ConflictException,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import { Endpoint, ResponseDto, Shown, type OwnError } from '../../src/index.js';
import { smallWorld } from '../builders/index.js';
import { teamSuite } from './with-team.js';

const locked: OwnError = {
  status: 423,
  code: 'acme_locked',
  description: 'The buyer locked her account.',
};
const isLocked = (): HttpException =>
  new HttpException(
    { code: 'acme_locked', message: 'The account is locked.', by: 'Redwood' },
    423,
    {
      cause: new Error('Redwood'),
    },
  );

@ResponseDto('A note.')
class Note {
  @Shown('The note.')
  readonly data!: string;
}
const policy = { flag: 'notes', scope: 'notes:read', rateClass: 'read', response: Note };
const listing = { ...policy, errors: [locked] };

@Injectable()
class LockGuard implements CanActivate {
  canActivate(): boolean {
    throw isLocked();
  }
}

@Controller('acme')
class NotesController {
  @Get('locked')
  @Endpoint({ ...listing, summary: 'Locked' })
  locked(): never {
    throw isLocked();
  }
  @Get('guarded')
  @UseGuards(LockGuard)
  @Endpoint({ ...listing, summary: 'Locked by a guard' })
  guarded(): Note {
    return { data: 'x' };
  }
  @Get('unlisted')
  @Endpoint({ ...policy, summary: 'An error that is not listed' })
  unlisted(): never {
    throw isLocked();
  }
  @Get('taken')
  @Endpoint({ ...listing, summary: 'Nest’s own' })
  taken(): never {
    throw new ConflictException('Redwood has it');
  }
  @Get('without-words')
  @Endpoint({ ...listing, summary: 'A listed code without a message' })
  withoutWords(): never {
    throw new HttpException({ code: 'acme_locked' }, 403);
  }
}
@Module({ controllers: [NotesController] })
class NotesModule {}

const world = smallWorld();
const { withTeam } = teamSuite(world);
const withNotes = (work: Parameters<typeof withTeam>[1]): Promise<void> =>
  withTeam({ imports: [NotesModule] }, work, { ROLLOUT_NOTES: 'on' });

const LOCKED = [423, { code: 'acme_locked', message: 'The account is locked.' }];

describe('an HttpException of a team’s endpoint', () => {
  it.each([
    ['is sent with the code and the message that the endpoint lists', 'locked', LOCKED],
    ['is sent so also from a guard of the endpoint', 'guarded', LOCKED],
    [
      'is an internal error where its code is not listed and its status is none of the contract',
      'unlisted',
      [500, { code: 'internal', message: 'Something went wrong on our side.' }],
    ],
    [
      'has the code of its status, without its words, where it brings no code',
      'taken',
      [409, { code: 'invalid_request', message: 'The request is not valid.' }],
    ],
    [
      'has the code of its status where it brings a code and no message',
      'without-words',
      [403, { code: 'forbidden', message: 'The caller may not use this operation.' }],
    ],
  ])('%s', (_what, path, expected) =>
    withNotes(async (service) => {
      const answer = await service.send('GET', `/acme/${path}`, world.session);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        expected[0],
        { error: expected[1] },
      ]);
      expect(answer.headers['cache-control']).toBe('private, no-store');
      const { code } = expected[1] as { code: string };
      expect(service.logLines.join('')).toContain(`"code":"${code}"`);
      expect(service.logLines.join('')).not.toContain('Redwood');
    }),
  );

  it('is in the API description of its endpoint', () =>
    withNotes(async (service) => {
      const { text: json } = await service.call('/api/v1/openapi.json');
      const { paths } = JSON.parse(json) as {
        paths: Record<string, { get: { responses: Record<string, object> } }>;
      };
      expect(paths['/acme/locked']?.get.responses['423']).toMatchObject({
        description: 'The buyer locked her account.',
        content: {
          'application/json': { examples: { acme_locked: expect.anything() as unknown } },
        },
      });
      expect(paths['/acme/unlisted']?.get.responses).not.toHaveProperty('423');
    }));
});
