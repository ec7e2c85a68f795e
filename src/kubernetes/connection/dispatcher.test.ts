import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type LookupFunction,
  type Socket,
} from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { newPair, type Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import type { InTurn } from '../fairness/received-data.ts';
import { parseCidr } from './addresses.ts';
import { newDispatcher } from './dispatcher.ts';
import { TlsContext } from './tls-context.ts';

let server: Server;
let url: string;
let ca: string;
let pair: Pair;
/** Handshakes that clients have completed. */
let handshakes = 0;

beforeAll(async () => {
  const authority = await newPair({ commonName: 'CA' });
  ca = authority.cert;
  const hosts = ['127.0.0.1', 'server.test'];
  pair = await newPair({ commonName: 'server', hosts }, authority);
  server = createServer(pair, (_, response) => response.end()).listen(0, '127.0.0.2');
  server.on('secureConnection', () => (handshakes += 1));
  await once(server, 'listening');
  url = `https://127.0.0.2:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await once(server, 'close');
});

describe('server name of TLS', () => {
  it.each([
    ['an address of the certificate', '127.0.0.1', 200],
    ['a name of the certificate', 'server.test', 200],
    ['another address', '127.0.0.3', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['another name', 'other.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['none, and another host', undefined, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('%s', async (_, serverName, expected) => {
    const credentials = { ca, headers: {}, ...(serverName !== undefined && { serverName }) };
    const dispatcher = newDispatcher({ server: url }, credentials);
    const outcome = await request(url, { dispatcher }).then(
      ({ statusCode }) => statusCode,
      (error: unknown) => (error as { code?: string }).code,
    );
    await dispatcher.close();
    expect(outcome).toBe(expected);
  });
});

describe('TLS context', () => {
  it('is one for all dispatchers with the same credentials, and verifies the server', async () => {
    const context = new TlsContext({ ca });
    const contexts = [context.get()];
    const get = context.get.bind(context);
    context.get = () => {
      contexts.push(get());
      return get();
    };
    // The CA is only in the context, so a dispatcher that creates one of its own does not trust the server.
    const credentials = { headers: {}, serverName: 'server.test' };
    for (let time = 0; time < 2; time += 1) {
      const dispatcher = newDispatcher({ server: url }, credentials, context);
      const { statusCode, body } = await request(url, { dispatcher });
      await body.dump();
      await dispatcher.close();
      expect(statusCode).toBe(200);
    }
    expect(contexts).toHaveLength(3);
    expect(new Set(contexts).size).toBe(1);
  });

  it.each<[string, () => string | undefined, unknown]>([
    ['trusts the CA', () => ca, 200],
    ['does not trust another CA', () => undefined, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ])('%s of the credentials on the stream of a route', async (_, trusted, expected) => {
    const trust = trusted();
    const { port } = server.address() as AddressInfo;
    const route = (): Promise<Duplex> => Promise.resolve(connect(port, '127.0.0.2'));
    const credentials = {
      headers: {},
      serverName: 'server.test',
      ...(trust !== undefined && { ca: trust }),
    };
    const dispatcher = newDispatcher({ server: url, route }, credentials);
    const outcome = await request(url, { dispatcher }).then(
      ({ statusCode }) => statusCode,
      (error: unknown) => (error as { code?: string }).code,
    );
    await dispatcher.close();
    expect(outcome).toBe(expected);
  });
});

/** Connects two sockets. */
function join(one: Socket, other: Socket): void {
  for (const socket of [one, other]) socket.on('error', () => undefined);
  one.pipe(other).pipe(one);
}

/** Handles CONNECT of an HTTP proxy. */
function tunnel({ url: target = '' }: IncomingMessage, socket: Socket): void {
  const [host = '', port] = target.split(':');
  const other = connect(Number(port), host, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    join(socket, other);
  });
}

/** Handles a client of SOCKS5 without authentication that connects to an IPv4 address (RFC 1928). */
function socks(socket: Socket): void {
  socket.once('data', () => {
    socket.write(Buffer.from([5, 0]));
    socket.once('data', (asked: Buffer) => {
      const host = [...asked.subarray(4, 8)].join('.');
      const other = connect(asked.readUInt16BE(8), host, () => {
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        join(socket, other);
      });
    });
  });
}

const PROXIES = {
  http: () => createHttpServer().on('connect', tunnel),
  https: () => createServer(pair).on('connect', tunnel),
  socks5: () => createTcpServer(socks),
} as const;

describe('data of a server that a tenant chooses', () => {
  /** Requests something, and gives no turn until the first data waits for one. */
  async function requested(
    more: { proxyUrl?: string; route?: () => Promise<Duplex> },
    cert?: string,
  ) {
    const first = Promise.withResolvers<() => void>();
    let turns = 0;
    const inTurn: InTurn = (work) => {
      turns += 1;
      if (turns > 1) return Promise.resolve(work());
      return new Promise((resolve) => first.resolve(() => resolve(work())));
    };
    const lookup: LookupFunction = (_, __, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    const addresses = { allowed: [parseCidr('127.0.0.0/8')], lookup, inTurn };
    const credentials = { headers: {}, serverName: 'server.test', ca, ...(cert && { cert }) };
    const dispatcher = newDispatcher({ server: url, addresses, ...more }, credentials);
    const before = handshakes;
    try {
      const answer = request(url, { dispatcher });
      const begin = await Promise.race([first.promise, answer.then(() => undefined)]);
      const held = handshakes - before;
      begin?.();
      const { statusCode, body } = await answer;
      await body.dump();
      return { held, statusCode, turns };
    } finally {
      await dispatcher.destroy();
    }
  }

  it('is handled in turns on a connection', async () => {
    expect(await requested({})).toMatchObject({ held: 0, statusCode: 200 });
  });

  it('is handled in turns on the stream of a route', async () => {
    const { port } = server.address() as AddressInfo;
    const route = (): Promise<Duplex> => Promise.resolve(connect(port, '127.0.0.2'));
    expect(await requested({ route })).toMatchObject({ held: 0, statusCode: 200 });
  });

  it.each([undefined, 'http', 'https', 'socks5'])(
    'is an error of the request alone if nobody listens (proxy: %s)',
    async (scheme) => {
      const closed = createTcpServer().listen(0, '127.0.0.1');
      await once(closed, 'listening');
      const { port } = closed.address() as AddressInfo;
      closed.close();
      const target = scheme === undefined ? `https://127.0.0.1:${port}` : url;
      const proxyUrl = scheme && `${scheme}://127.0.0.1:${port}`;
      const addresses = {
        allowed: [parseCidr('127.0.0.0/8')],
        lookup: ((_, __, done) =>
          done(null, [{ address: '127.0.0.1', family: 4 }])) as LookupFunction,
        inTurn: (work: () => void) => Promise.resolve(work()),
      };
      const dispatcher = newDispatcher(
        { server: target, addresses, ...(proxyUrl && { proxyUrl }) },
        { headers: {}, ca },
      );
      await expect(request(target, { dispatcher })).rejects.toThrow(
        /ECONNREFUSED|connect|[Pp]roxy/,
      );
      await dispatcher.destroy();
    },
  );

  /** Requests through a proxy. */
  async function proxied(scheme: keyof typeof PROXIES, host = '127.0.0.1') {
    const proxy = PROXIES[scheme]().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    try {
      return await requested({ proxyUrl: `${scheme}://${host}:${port}` });
    } finally {
      proxy.close();
    }
  }

  it.each(['http', 'socks5'] as const)('is handled in turns through a %s proxy', async (scheme) => {
    const { held, statusCode, turns } = await proxied(scheme);
    expect([held, statusCode]).toEqual([0, 200]);
    // The response of the proxy, the handshake and the response of the server.
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('is handled in turns when a proxy sends its own certificates', async () => {
    await expect(proxied('https', 'localhost')).rejects.toHaveProperty(
      'code',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    );
  });

  it('lets a request fail whose TLS cannot begin', async () => {
    await expect(requested({}, 'no certificate')).rejects.toThrow('PEM');
  });
});
