import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { request } from 'undici';
import { loadSettings } from '../../../src/config/load-settings.js';
import { createApp } from '../../../src/create-app.js';
import type { DealSetsExtensions } from '../../../src/extensions.js';

/** An answer, as far as sign-in is concerned. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** `error.code`, or undefined on a success. */
  readonly code: string | undefined;
}

export interface CallOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
}

/** The whole service on a free port, called over real sockets. */
export class RunningApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly port: number,
  ) {}

  static async start(env: NodeJS.ProcessEnv, extensions?: DealSetsExtensions): Promise<RunningApp> {
    const nest = await createApp(loadSettings({ LOG_LEVEL: 'silent', ...env }), extensions);
    await nest.listen(0, '127.0.0.1');
    return new RunningApp(nest, (nest.getHttpServer().address() as AddressInfo).port);
  }

  call(path: string, options: CallOptions = {}): Promise<Answer> {
    return call(this.port, path, options);
  }

  close(): Promise<void> {
    return this.nest.close();
  }
}

/** Calls a service that listens on this machine. */
export async function call(
  port: number,
  path: string,
  { method = 'GET', headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await request(`http://127.0.0.1:${port}${path}`, { method, headers });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, code: codeOf(text) };
}

function codeOf(text: string): string | undefined {
  if (text === '') return undefined;
  const { error } = JSON.parse(text) as { error?: { code: string } };
  return error?.code;
}

export const LIST = '/api/v1/deal-sets';

export function bearer(token: string): CallOptions {
  return { headers: { authorization: `Bearer ${token}` } };
}

export function cookie(value: string, name = '__Host-session'): CallOptions {
  return { headers: { cookie: `${name}=${value}` } };
}
