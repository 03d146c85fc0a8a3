import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApprovalController } from '../approval/approval.controller.js';
import { Approvals } from '../approval/approvals.js';
import { ApprovalsController } from '../approval/approvals.controller.js';
import { ApprovedGrants } from '../approval/approved-grants.js';
import { BuyerSessions } from '../sign-in/buyer-sessions.js';
import { SignInController } from '../sign-in/sign-in.controller.js';
import { AuthorizationController } from './authorization.controller.js';
import {
  AUTHORIZATION_OPTIONS,
  AuthorizationServer,
  type AuthorizationOptions,
} from './authorization-server.js';

/** The authorization server, and the pages on which a buyer signs in, approves and revokes. */
@Module({})
export class AuthorizationModule implements OnModuleInit {
  constructor(private readonly adapters: HttpAdapterHost<FastifyAdapter>) {}

  /** Forms are read by those who ask for them: the authorization server reads its own. */
  onModuleInit(): void {
    const fastify = this.adapters.httpAdapter.getInstance();
    fastify.addContentTypeParser('application/x-www-form-urlencoded', (_request, _payload, done) =>
      done(null),
    );
  }

  static register(options: AuthorizationOptions = {}): DynamicModule {
    return {
      module: AuthorizationModule,
      controllers: [
        AuthorizationController,
        SignInController,
        ApprovalController,
        ApprovalsController,
      ],
      providers: [
        { provide: AUTHORIZATION_OPTIONS, useValue: options },
        AuthorizationServer,
        BuyerSessions,
        Approvals,
        ApprovedGrants,
      ],
      exports: [AuthorizationServer, BuyerSessions, Approvals, ApprovedGrants],
    };
  }
}
