import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Settings } from '../../config/settings.js';
import { AppError } from '../../kernel/app-error.js';
import { sessionCookieValue } from './session-cookie.js';
import { SessionAuthenticator } from './session-authenticator.js';

/** The path of a call without an Authorization header: the website's session cookie, or nothing. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly signIn: SessionAuthenticator,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { raw } = execution.switchToHttp().getRequest<FastifyRequest>();
    const value = sessionCookieValue(raw.headers.cookie, this.settings.sessionCookie);
    if (value === undefined) throw new AppError('unauthenticated');
    raw.context.principal = await this.signIn.principalOf(value, raw.context.deadline);
    return true;
  }
}
