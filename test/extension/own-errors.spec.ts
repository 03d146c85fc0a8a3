import { Controller, Get, HttpCode, Injectable, Module, type CanActivate } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DeclaredError, Endpoint, shape, shown, text, type OwnError } from '../../src/index.js';
import { smallWorld } from '../builders/index.js';
import type { TestService } from '../setup/test-service.js';
import { teamSuite } from './with-team.js';

const locked: OwnError = {
  status: 423,
  code: 'acme_locked',
  message: 'The account is locked.',
  description: 'The buyer locked her account.',
};
const taken: OwnError = {
  status: 409,
  code: 'note_taken',
  message: 'There is a note of this name.',
  description: 'A note has this name.',
};
const undeclared: OwnError = { ...taken, code: 'note_unknown', message: 'Words of Redwood.' };

const response = shape('Note', 'A note.', { data: shown(text, 'The note.') });
const policy = { flag: 'notes', scope: 'notes:read', rateClass: 'read', response };

@Controller('acme')
class NotesController {
  @Get('locked')
  @Endpoint({ ...policy, summary: 'Locked' })
  locked(): never {
    throw new DeclaredError(locked, { cause: new Error('Redwood') });
  }
  @Get('taken')
  @Endpoint({ ...policy, errors: [taken], summary: 'Taken' })
  @HttpCode(200)
  taken(): never {
    throw new DeclaredError(taken);
  }
  @Get('elsewhere')
  @Endpoint({ ...policy, summary: 'Error of another endpoint' })
  elsewhere(): never {
    throw new DeclaredError(taken);
  }
  @Get('undeclared')
  @Endpoint({ ...policy, summary: 'Undeclared' })
  undeclared(): never {
    throw new DeclaredError(undeclared);
  }
}

/** Another part of the request that knows the error. */
@Injectable()
class LockGuard implements CanActivate {
  static isLocked = false;
  canActivate(): boolean {
    if (LockGuard.isLocked) throw new DeclaredError(locked);
    return true;
  }
}
@Module({
  controllers: [NotesController],
  providers: [{ provide: APP_GUARD, useClass: LockGuard }],
})
class NotesModule {}

const world = smallWorld();
const { withTeam } = teamSuite(world);

const withErrors = (
  errors: readonly OwnError[],
  work: (service: TestService) => Promise<void>,
): Promise<void> =>
  withTeam({ imports: [NotesModule], errors }, work, { ROLLOUT_NOTES: 'on' }).finally(() => {
    LockGuard.isLocked = false;
  });

describe('errors of a team', () => {
  it('are answered with their status, code and text, from where they are declared', async () => {
    await withErrors([locked], async (service) => {
      const seen = async (path: string): Promise<unknown[]> => {
        const answer = await service.get<{ error: object }>(path, world.session);
        expect(answer.headers['cache-control']).toBe('private, no-store');
        return [answer.status, answer.body.error];
      };
      const internal = [500, { code: 'internal', message: 'Something went wrong on our side.' }];
      expect(await seen('/acme/locked')).toEqual([
        423,
        { code: 'acme_locked', message: 'The account is locked.' },
      ]);
      expect(await seen('/acme/taken')).toEqual([
        409,
        { code: 'note_taken', message: 'There is a note of this name.' },
      ]);
      expect(await seen('/acme/elsewhere')).toEqual(internal);
      expect(await seen('/acme/undeclared')).toEqual(internal);
      expect(service.logLines.join('')).toContain('"code":"acme_locked"');
      expect(service.logLines.join('')).not.toContain('Redwood');
    });
  });

  it('can be thrown by a guard of the team in front of the reads', async () => {
    await withErrors([locked], async (service) => {
      LockGuard.isLocked = true;
      const answer = await service.send('GET', world.getPath, world.session);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        423,
        { error: { code: 'acme_locked', message: 'The account is locked.' } },
      ]);
    });
  });

  it('are in the API description', async () => {
    await withErrors([locked], async (service) => {
      const { text: json } = await service.call('/api/v1/openapi.json');
      const { components, paths } = JSON.parse(json) as {
        components: { schemas: { ErrorDetail: { properties: { code: { description: string } } } } };
        paths: Record<string, { get: { responses: Record<string, { description: string }> } }>;
      };
      expect(components.schemas.ErrorDetail.properties.code.description).toContain(
        '`acme_locked` (423: The buyer locked her account)',
      );
      expect(paths['/acme/taken']?.get.responses['409']?.description).toBe('A note has this name.');
    });
  });

  it.each([
    ['a code of the service', [{ ...locked, code: 'not_found' }]],
    ['a status of the service', [{ ...locked, status: 401 }]],
    ['no text', [{ ...locked, message: '' }]],
    ['an unfit code', [{ ...locked, code: 'Acme locked' }]],
    ['a code twice', [locked, { ...taken, code: 'acme_locked' }]],
  ])('stop the boot when one has %s', async (_what, errors) => {
    const boot = withErrors(errors as OwnError[], () => Promise.resolve());
    await expect(boot).rejects.toThrow(/own error|declared twice/);
  });
});
