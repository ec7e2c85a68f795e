/** Asks a member of an etcd over HTTP, where it tells how it is and its version. */
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import {
  failureOf,
  LONGEST_BODY,
  lookupOf,
  tlsOptions,
  type Answers,
  type Failure,
  type Question,
  type Reply,
  type Stage,
} from './dial.ts';

/** Asks both at once. Never rejects. */
export async function askHttp(question: Question): Promise<Answers> {
  const [health, version] = await Promise.all([
    get(question, '/health'),
    get(question, '/version'),
  ]);
  return { health, version };
}

function get(question: Question, path: string): Promise<Reply | Failure> {
  return new Promise((resolve) => {
    const { host, tls } = question.endpoint;
    let stage: Stage = isIP(host) === 0 ? 'resolve' : 'connect';
    const fail = (error: unknown): void => resolve(failureOf(stage, error));
    try {
      const request = open(question, path);
      // For good: an error after the answer is nobody's concern, and must have its listener.
      request.on('error', fail);
      request.once('socket', (socket: Socket) => {
        socket.once('lookup', (error: Error | null) => {
          if (error === null) stage = 'connect';
        });
        socket.once('connect', () => (stage = tls ? 'tls' : 'answer'));
        socket.once('secureConnect', () => (stage = 'answer'));
      });
      request.once('response', (response) => void read(response).then(resolve, fail));
      request.end();
    } catch (error) {
      // Credentials that OpenSSL does not take, before anything is sent.
      stage = 'tls';
      fail(error);
    }
  });
}

function open({ endpoint, credentials, signal }: Question, path: string): ClientRequest {
  const { host, port, names, tls } = endpoint;
  const common = { host, port, path, signal, agent: false, lookup: lookupOf(names) } as const;
  return tls
    ? requestHttps({ ...common, ...tlsOptions(endpoint, credentials) })
    : requestHttp(common);
}

async function read(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LONGEST_BODY) break;
  }
  const body = Buffer.concat(chunks).subarray(0, LONGEST_BODY).toString('utf8');
  return { status: response.statusCode ?? 0, body };
}
