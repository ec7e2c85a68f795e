import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ForwardError } from '../../kubernetes/client/port-forward.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { decode, INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { issueProbe } from '../../pki/probe.ts';
import type { KeyPair } from '../../pki/types.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import { askHttp2 } from './ask-http2.ts';
import { endpointOf } from './pod-endpoints.ts';

const ISSUANCE = issuance(new Date());
const READS = readsOf(ready(await ensureCertificates(request(), ISSUANCE)));
const CA = decode(READS.cert, 'ca.crt');
const [A = '', B = ''] = certificateBlocks(CA);
const [cert, key] = ['tls.crt', 'tls.key'].map((name) =>
  decode(READS['scheduler-estimator-cert'], name),
) as [string, string];
const SERVER_NAME = endpointOf(INPUTS, 'scheduler-estimator', 'grpc')?.serverName ?? '';

/** A leaf by one of both CAs. */
async function leafBy(place: 'active' | 'successor'): Promise<KeyPair> {
  const facts = authorityFacts(INPUTS, 'ca', READS, new Date());
  const pair = facts?.pairs.get(facts[place]?.sha256 ?? '');
  if (pair === undefined) throw new Error('no CA');
  return issueProbe('ca', pair, ISSUANCE);
}

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A port-forward that breaks when the client has sent its certificate. */
class BrokenForward extends Duplex {
  readonly #socket: Socket;
  #writes = 0;

  constructor(socket: Socket) {
    super({ allowHalfOpen: false });
    this.#socket = socket.on('data', (data) => this.push(data));
  }

  override _read(): void {
    // Received data is pushed at once.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#writes += 1;
    // The first write is the ClientHello.
    if (this.#writes === 1) this.#socket.write(chunk, done);
    else this.destroy(new ForwardError('forward to pod', 'connection lost'));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** As an estimator, which accepts only clients with a certificate of its CAs. */
const estimator = (ca: string) =>
  createSecureServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true });

async function asked(listening: Server, leaf: KeyPair, ca = CA) {
  server = listening.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dial = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  return askHttp2({ dial, serverName: SERVER_NAME, ca, leaf });
}

describe('askHttp2', () => {
  it.each([
    ['accepts both CAs', CA, 'active', 'answered'],
    ['accepts the successor', CA, 'successor', 'answered'],
    ['accepts only the active CA', A, 'successor', 'closed'],
    ['accepts only the successor', B, 'active', 'closed'],
  ] as const)('shows that a server %s', async (_, trusted, place, kind) => {
    expect(await asked(estimator(trusted), await leafBy(place))).toEqual({ kind });
  });

  it('does not reach a server with a certificate of another CA', async () => {
    expect(await asked(estimator(CA), await leafBy('active'), B)).toEqual({
      kind: 'unreachable',
      cause: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
  });

  it('does not reach a server that sends no settings', async () => {
    const silent = createServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => socket.resume());
    expect(await asked(silent, await leafBy('active'))).toEqual({
      kind: 'unreachable',
      cause: 'no answer within 2 s',
    });
  });

  it('does not reach a server through a port-forward that breaks after the handshake of the client', async () => {
    const leaf = await leafBy('active');
    server = estimator(CA).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const dial = () => Promise.resolve(new BrokenForward(connect(port, '127.0.0.1')));
    const access = { dial, serverName: SERVER_NAME, ca: CA, leaf };
    expect(await askHttp2(access)).toEqual({
      kind: 'unreachable',
      cause: 'forward to pod: connection lost',
    });
  });

  it('does not reach a server that does not answer', async () => {
    const leaf = await leafBy('active');
    const dial = () => Promise.reject(new Error('refused'));
    const access = { dial, serverName: SERVER_NAME, ca: CA, leaf };
    expect(await askHttp2(access)).toEqual({ kind: 'unreachable' });
  });
});
