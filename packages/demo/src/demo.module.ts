import type { IncomingHttpHeaders } from 'node:http';
import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Settings } from '@deal-sets/service';
import { AssistantGrant, Buyer, BuyerSession } from '@deal-sets/service/entities';
import { ApprovalController } from './approval/approval.controller.js';
import { Approvals } from './approval/approvals.js';
import { ConsentExamples } from './approval/consent-example.js';
import {
  AuthorizationController,
  AuthorizationOptions,
  AuthorizationServer,
} from './authorization/authorization-server.js';
import { isLoopbackAddress } from './authorization/provider-configuration.js';
import { isForwarded } from './demo-settings.js';
import { CurlController } from './curl-guide.js';
import { PageAssistant } from './page/page-assistant.js';
import { HomeController, PageController } from './page/page.controller.js';
import { PageFiles } from './page/page-files.js';
import { UnknownPageController } from './page/unknown-page.controller.js';
import { WorldActions } from './page/world-actions.js';
import { DemoWorld } from './open-demo.js';
import { BuyerSessions } from './sign-in/buyer-sessions.js';
import { SignInController } from './sign-in/sign-in.controller.js';

/**
 * Sets the host and scheme of a request to the public ones, if the proxy forwarded it with the name
 * of this machine, which no web page elsewhere can use as its own host name.
 */
function restorePublicHost(headers: IncomingHttpHeaders, publicHost: string): void {
  if (headers.host !== publicHost && !isLoopbackAddress(`http://${headers.host ?? ''}`)) return;
  headers.host = publicHost;
  headers['x-forwarded-proto'] = 'https';
  delete headers['x-forwarded-host'];
}

/**
 * The authorization server, the pages on which a buyer signs in, approves and revokes, and the page
 * at `/`.
 */
@Module({
  // The pages that create and end sessions and approvals use these repositories.
  imports: [TypeOrmModule.forFeature([AssistantGrant, Buyer, BuyerSession])],
  controllers: [
    ...[AuthorizationController, SignInController, ApprovalController],
    ...[HomeController, PageController, CurlController, UnknownPageController],
  ],
  providers: [
    AuthorizationServer,
    BuyerSessions,
    Approvals,
    ConsentExamples,
    PageFiles,
    PageAssistant,
    WorldActions,
  ],
})
export class DemoModule implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost<FastifyAdapter>,
    private readonly settings: Settings,
  ) {}

  /**
   * Leaves form bodies unparsed: routes read their own forms, as the authorization server does.
   * Behind a proxy that forwards to this machine, it restores the public host of each request.
   */
  onModuleInit(): void {
    const fastify = this.adapters.httpAdapter.getInstance();
    const { publicUrl = '' } = this.settings;
    if (isForwarded(publicUrl)) {
      fastify.addHook('onRequest', (request, _reply, done) => {
        restorePublicHost(request.raw.headers, new URL(publicUrl).host);
        done();
      });
    }
    fastify.addContentTypeParser('application/x-www-form-urlencoded', (_request, _payload, done) =>
      done(null),
    );
  }

  /**
   * Returns the module for one demo.
   *
   * @param url the address of the database. The demo writes through a separate connection, because
   *   the service only reads.
   */
  static register(
    url: string,
    world: DemoWorld,
    authorization: AuthorizationOptions,
  ): DynamicModule {
    return {
      module: DemoModule,
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url,
          applicationName: 'deal-sets demo',
          entities: [AssistantGrant, Buyer, BuyerSession],
          installExtensions: false,
          logging: false,
        }),
      ],
      providers: [
        { provide: DemoWorld, useValue: world },
        { provide: AuthorizationOptions, useValue: authorization },
      ],
    };
  }
}
