import { randomBytes } from 'node:crypto';
import { duplexPair, type Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { openTls, secureContextOf } from '../../etcd/dial.ts';
import { CODE } from '../../etcd/errors.ts';
import { makeKey } from '../../pki/keys.ts';
import { selfSigned, signedBy } from '../../pki/x509.ts';
import type { InTurn } from '../fairness/received-data.ts';
import { settle } from '../time/clock.fixture.ts';
import { pacedStream } from './paced-stream.ts';

const context = { now: new Date(), random: randomBytes };
const authority = await selfSigned('CA', await makeKey('ec-p256'), context);
const server = await signedBy(
  authority,
  {
    subject: { commonName: 'etcd' },
    validityDays: 1,
    leaf: { usages: ['serverAuth', 'clientAuth'], dns: ['etcd'], ips: [] },
  },
  await makeKey('ec-p256'),
  context,
);

const atOnce: InTurn = (work) => {
  work();
  return Promise.resolve();
};

/** A connection whose client gets all data in turns. */
function connected(inTurn: InTurn) {
  const { signal } = new AbortController();
  const [remote, source] = duplexPair();
  const stream = pacedStream(source, inTurn);
  return { remote, source, stream, signal };
}

/** Runs TLS of a server on a stream. */
function serve(remote: Duplex): TLSSocket {
  const { certificate: cert, key } = server;
  const secureContext = createSecureContext({ cert, key });
  const socket = new TLSSocket(remote, { isServer: true, secureContext, ALPNProtocols: ['h2'] });
  socket.on('data', (chunk: Buffer) => socket.write(`echo ${chunk.toString()}`));
  return socket;
}

const read = (stream: Duplex): Buffer | null => stream.read() as Buffer | null;

const clientTls = {
  context: secureContextOf({ ca: authority.certificate, ...server }),
  serverName: 'etcd',
};

describe('pacedStream', () => {
  it('lets TLS verify the certificates of a server only in a turn', async () => {
    const waiting: (() => void)[] = [];
    const { remote, stream, signal } = connected(
      (work) =>
        new Promise((resolve) => {
          waiting.push(() => {
            work();
            resolve();
          });
        }),
    );
    serve(remote);
    let isOpen = false;
    const opened = openTls(stream, clientTls, signal).then((socket) => {
      isOpen = true;
      return socket;
    });
    await settle();
    expect([waiting.length, isOpen]).toEqual([1, false]);
    for (let turns = 0; !isOpen && turns < 100; turns += 1) {
      waiting.shift()?.();
      await settle();
    }
    (await opened).destroy();
  });

  it.each(['end', 'close'] as const)(
    'passes the data that waits for its turn before the %s of the connection',
    async (how) => {
      const waiting: (() => void)[] = [];
      const inTurn: InTurn = (work) =>
        new Promise((resolve) => {
          waiting.push(() => resolve(work()));
        });
      const { remote, source, stream } = connected(inTurn);
      const seen: string[] = [];
      stream.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
      stream.once(how, () => seen.push(how));
      remote.end('alert');
      await settle();
      if (how === 'close') source.destroy();
      await settle();
      expect(seen).toEqual([]);
      for (const turn of waiting) turn();
      await settle();
      expect(seen).toEqual(['alert', how]);
    },
  );

  it('goes on when data is read before the promise of the turn in which it filled the buffer', async () => {
    const inTurn: InTurn = (work) =>
      new Promise((resolve) => {
        setImmediate(() => {
          work();
          resolve();
        });
      });
    const { remote, stream } = connected(inTurn);
    let received = 0;
    stream.on('readable', () => {
      for (let chunk = read(stream); chunk !== null; chunk = read(stream)) received += chunk.length;
    });
    const large = Buffer.alloc(stream.readableHighWaterMark);
    for (let count = 0; count < 3; count += 1) remote.write(large);
    for (let turns = 0; turns < 10; turns += 1) await settle();
    expect(received).toBe(3 * large.length);
    stream.destroy();
  });

  it('passes all data in both directions, and their ends', async () => {
    const { remote, stream, signal } = connected(atOnce);
    const served = serve(remote);
    const socket = await openTls(stream, clientTls, signal);
    const large = 'x'.repeat(200_000);
    socket.end(large);
    served.once('end', () => served.end());
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    expect(received.replaceAll('echo ', '')).toBe(large);
  });

  it.each([
    [
      'the source has an error',
      'ECONNRESET',
      (source: Duplex) => source.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
    ],
    ['the source is closed', CODE.closed, (source: Duplex) => source.destroy()],
  ])('ends the stream when %s', async (_, code, end) => {
    const { source, stream, signal } = connected(atOnce);
    const failed = openTls(stream, clientTls, signal);
    end(source);
    await expect(failed).rejects.toMatchObject({ failure: { stage: 'tls', code } });
    expect(stream.destroyed).toBe(true);
  });

  it('closes the source when the stream is destroyed or gets no turn', async () => {
    const one = connected(atOnce);
    one.stream.destroy();
    const other = connected(() => Promise.reject(new Error('aborted')));
    other.stream.resume();
    other.remote.write('x');
    await settle();
    expect([one.source.destroyed, other.source.destroyed]).toEqual([true, true]);
  });
});
