import type { Server } from 'node:http';
import { Module, type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { loadSettings, type Settings } from '../../src/index.js';
import type { TestIssuer } from '../../packages/testing/src/test-issuer.js';
import { HOST } from './host-application.js';
import { call, type CallOptions, type HttpResponse } from './http-call.js';
import type { TestDatabase } from './test-database.js';

/** The settings of a host application whose sign-in uses this database and this issuer. */
export function signInSettings(database: TestDatabase, issuer: TestIssuer): Settings {
  return loadSettings({ DATABASE_URL: database.url, ...database.env, ...issuer.settings });
}

/** A host application with only the modules of a test. */
export interface ModuleHost {
  readonly app: INestApplication;
  call(path: string, options?: CallOptions): Promise<HttpResponse>;
  stop(): Promise<void>;
}

/**
 * Starts a host application without `DealSetsModule`, on the adapter of the test project. It has no
 * global guard, pipe, filter or interceptor.
 */
export async function startModuleHost(
  metadata: ModuleMetadata,
  configure?: (app: INestApplication) => void,
): Promise<ModuleHost> {
  @Module(metadata)
  class HostModule {}

  const adapter = HOST === 'express' ? new ExpressAdapter() : new FastifyAdapter();
  const app = await NestFactory.create(HostModule, adapter, { logger: false, abortOnError: false });
  configure?.(app);
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = (app.getHttpServer() as Server).address() as { readonly port: number };
  return {
    app,
    call: (path, options) => call(port, path, options),
    stop: () => app.close(),
  };
}

/** Starts a host application and stops it. Used to test that an application fails to start. */
export async function bootModuleHost(metadata: ModuleMetadata): Promise<void> {
  await (await startModuleHost(metadata)).stop();
}
