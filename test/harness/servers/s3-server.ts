/** An S3 server as a process on the loopback interface, and a proxy in front of it that disturbs requests. */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedCredentials } from '../../../src/backup/stores/credentials.ts';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { S3Settings } from '../../../src/backup/stores/s3-client.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { freePorts, startServer, type Server } from './process.ts';

const REGION = 'eu-test-1';
export const CREDENTIALS = { accessKeyId: 'tester', secretAccessKey: 'not-secret-in-tests' };

export interface S3Server {
  readonly settings: S3Settings;
  readonly server: Server;
  close(): Promise<void>;
}

/** Command line of a server. @param place address, and folders for the buckets and for former versions of objects */
type Flags = (place: {
  readonly address: string;
  readonly data: string;
  readonly versions: string;
}) => readonly string[];

const { accessKeyId, secretAccessKey } = CREDENTIALS;

/** Each server keeps a bucket in a folder with its name. */
const SERVERS = {
  versitygw: ({ address, data, versions }) => [
    '--access',
    accessKeyId,
    '--secret',
    secretAccessKey,
    '--region',
    REGION,
    '--port',
    address,
    'posix',
    '--versioning-dir',
    versions,
    data,
  ],
  rclone: ({ address, data }) => [
    'serve',
    's3',
    data,
    '--addr',
    address,
    '--auth-key',
    `${accessKeyId},${secretAccessKey}`,
  ],
} as const satisfies Record<string, Flags>;

/** Starts a server with one empty bucket `backups`. */
export async function startS3Server(
  program: keyof typeof SERVERS = 'versitygw',
): Promise<S3Server> {
  const { [program]: executable } = await ensureBinaries([program]);
  const directory = await mkdtemp(join(tmpdir(), 's3-server-'));
  const [data, versions] = [join(directory, 'data'), join(directory, 'versions')];
  await mkdir(join(data, 'backups'), { recursive: true });
  await mkdir(versions);
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${String(port)}`;
  const flags = SERVERS[program]({ address, data, versions });
  const server = startServer(executable, [...flags], join(directory, 'log'));
  const endpoint = `http://${address}`;
  // Also benchmarks start it, which have no Jest.
  await poll(`${program} responds`, async (seen) => {
    seen(server.tail());
    return fetch(endpoint).catch(() => undefined);
  });
  return {
    settings: {
      endpoint,
      region: REGION,
      bucket: 'backups',
      pathStyle: true,
      credentials: fixedCredentials(CREDENTIALS),
    },
    server,
    close: async () => {
      await server.end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What happens to a request. */
export type Fault =
  | 'pass'
  /** The server does not receive the request. */
  | { readonly answer: number; readonly code?: string; readonly region?: string }
  /** The server receives the body at this speed. */
  | { readonly bytesPerSecond: number }
  /** The server receives some bytes of the body, then nothing, and the connection stays. */
  | 'stall request'
  /** The connection ends after some bytes of the body arrived. */
  | 'cut request'
  /** The server executes the request, but the client gets no response. */
  | 'cut response'
  /** The client gets half of the body of the response. */
  | 'cut body';

export interface FaultyS3 {
  readonly settings: S3Settings;
  /** Requests in order, such as `PUT part 2`. */
  readonly seen: readonly string[];
  /** Bytes of the bodies of requests that the server has received. */
  forwarded(): number;
  close(): Promise<void>;
}

/** Names a request without its key. */
function requestName({ method = '', url = '' }: IncomingMessage): string {
  const query = new URL(url, 'http://s3').searchParams;
  if (query.has('uploads')) return 'begin upload';
  const part = query.get('partNumber');
  if (part !== null) return `part ${part}`;
  if (query.has('uploadId')) return method === 'DELETE' ? 'abort upload' : 'complete upload';
  return query.has('list-type') ? 'list' : method;
}

/** @param faultOf decides by the name of the request and how often it was seen, from 1 */
export async function startFaults(
  { settings }: S3Server,
  faultOf: (name: string, count: number) => Fault,
): Promise<FaultyS3> {
  const seen: string[] = [];
  let forwarded = 0;
  const count = (bytes: number): void => void (forwarded += bytes);
  const target = new URL(settings.endpoint);
  const proxy = createServer((incoming, response) => {
    const name = requestName(incoming);
    seen.push(name);
    const times = seen.filter((one) => one === name).length;
    disturb({ incoming, response, target, count, fault: faultOf(name, times) });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    settings: { ...settings, endpoint: `http://127.0.0.1:${String(port)}` },
    seen,
    forwarded: () => forwarded,
    close: async () => {
      proxy.closeAllConnections();
      await once(proxy.close(), 'close');
    },
  };
}

interface Disturbed {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: URL;
  readonly fault: Fault;
  /** Counts bytes that are sent to the server. */
  readonly count: (bytes: number) => void;
}

/** Passes a stream on at a speed. */
async function* throttled(
  content: AsyncIterable<Buffer>,
  bytesPerSecond: number,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    await setTimeout((piece.length / bytesPerSecond) * 1_000);
    count(piece.length);
    yield piece;
  }
}

function disturb({ incoming, response, target, fault, count }: Disturbed): void {
  if (typeof fault === 'object' && 'answer' in fault) {
    incoming.resume().once('end', () => {
      const { answer, code, region } = fault;
      response.writeHead(answer, region === undefined ? {} : { 'x-amz-bucket-region': region });
      response.end(code && `<Error><Code>${code}</Code><Region>${region ?? ''}</Region></Error>`);
    });
    return;
  }
  if (fault === 'stall request') return void incoming.once('data', () => incoming.pause());
  if (fault === 'cut request') {
    const cut = (): void => void incoming.socket.destroy();
    return void incoming.once('data', cut).once('end', cut);
  }
  const { method, url, headers } = incoming;
  const onward = request({ host: target.hostname, port: target.port, method, path: url, headers });
  onward.on('error', () => incoming.socket.destroy());
  onward.on('response', (answer) => {
    if (fault === 'cut response') {
      answer.resume().once('end', () => incoming.socket.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    if (fault !== 'cut body') return void answer.pipe(response);
    answer.once('data', (piece: Buffer) => {
      response.write(piece.subarray(0, piece.length / 2), () => incoming.socket.destroy());
    });
  });
  if (typeof fault !== 'object')
    return void incoming.on('data', (piece: Buffer) => count(piece.length)).pipe(onward);
  const slow = Readable.from(throttled(incoming, fault.bytesPerSecond, count));
  slow.on('error', () => incoming.socket.destroy()).pipe(onward);
}
