import { Agent, request } from 'node:http';
import { hostedPath } from '../../setup/host-application.js';

/** An answer byte for byte, without what differs between any two answers. */
export interface RawAnswer {
  readonly status: number;
  /** Names and values in their order, but `Date` and the request's own id. */
  readonly headers: readonly string[];
  readonly body: string;
}

const OF_EVERY_ANSWER_ITS_OWN = new Set(['date', 'service-request-id']);

/** One keep-alive client for both services of a pair. */
export const agent = new Agent({ keepAlive: true, maxSockets: 16 });

export function rawAnswer(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, path: hostedPath(path), method, headers, agent };
    const call = request(to, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const kept: string[] = [];
        for (let i = 0; i < response.rawHeaders.length; i += 2) {
          const [name = '', value = ''] = response.rawHeaders.slice(i, i + 2);
          if (!OF_EVERY_ANSWER_ITS_OWN.has(name.toLowerCase())) kept.push(`${name}: ${value}`);
        }
        resolve({
          status: response.statusCode ?? 0,
          headers: kept,
          body: Buffer.concat(chunks).toString('latin1'),
        });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

export function headerOf(answer: RawAnswer, name: string): string | undefined {
  const prefix = `${name.toLowerCase()}: `;
  const found = answer.headers.find((header) => header.toLowerCase().startsWith(prefix));
  return found?.slice(prefix.length);
}
