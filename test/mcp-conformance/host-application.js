import 'reflect-metadata';
import { DealSetsModule, loadSettings } from '@deal-sets/service';
import { DealSetsMcpModule } from '@deal-sets/service/mcp';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const ADAPTERS = { fastify: FastifyAdapter, express: ExpressAdapter };

class HostModule {}

/**
 * Starts a host application with MCP on the database and the issuer of the demo, whose tokens it
 * accepts.
 *
 * @param {'fastify' | 'express'} adapter
 * @param {{ databaseUrl: string, origin: string }} demo
 * @returns its port, and what stops it.
 */
export async function startHostApplication(adapter, { databaseUrl, origin }) {
  const settings = loadSettings({
    DATABASE_URL: databaseUrl,
    MCP: 'on',
    PUBLIC_URL: origin,
    AUTH_ISSUER: origin,
    AUTH_AUDIENCE: `${origin},${origin}/mcp`,
    AUTH_JWKS_URL: `${origin}/oauth/jwks`,
    // The suite sends more requests per minute than the limit of one assistant.
    READ_RATE_LIMIT: '1000000',
  });
  const imports = [DealSetsModule.forRoot({ settings }), DealSetsMcpModule];
  const module = { module: HostModule, imports };
  const app = await NestFactory.create(module, new ADAPTERS[adapter](), {
    logger: ['error'],
    abortOnError: false,
  });
  await app.listen(0, '127.0.0.1');
  return { port: app.getHttpServer().address().port, stop: () => app.close() };
}
