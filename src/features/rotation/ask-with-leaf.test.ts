import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { connect, createServer as createPlainServer, type AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EtcdConnectionError } from '../../etcd/errors.ts';
import { ForwardError } from '../../kubernetes/client/port-forward.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import { decode, INPUTS, issuance, ready, readsOf, request } from '../../pki/fixture.test-data.ts';
import { issueProbe, PROBE_USER } from '../../pki/probe.ts';
import type { AuthorityName, KeyPair } from '../../pki/types.ts';
import { askWithLeaf, type LeafAccess } from './ask-with-leaf.ts';
import { presentedCertificate } from './presented-certificate.ts';
import { systemClock } from '../../kubernetes/time/clock.ts';

const ISSUANCE = issuance(new Date());
const READS = readsOf(ready(await ensureCertificates(request(), ISSUANCE)));
const CA = decode(READS.cert, 'ca.crt');

async function leafOf(name: AuthorityName): Promise<KeyPair> {
  const facts = authorityFacts(INPUTS, name, READS, new Date());
  const pair = facts?.pairs.get(facts.active.sha256);
  if (pair === undefined) throw new Error(`no ${name}`);
  return issueProbe(name, pair, ISSUANCE);
}

/** How the server responds: status, and the user that it knows. */
interface Behavior {
  readonly status: number;
  readonly user?: string;
}

let behavior: Behavior;
const received: { user?: string | undefined; leaf?: string; url?: string | undefined }[] = [];
let server: Server;

const bodyOf = ({ status, user = '' }: Behavior): object =>
  status === 201
    ? {
        ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
        status: { userInfo: { username: user } },
      }
    : {
        ...{ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code: status },
        message: `forbidden: User "${user}" cannot get path "/x"`,
      };

beforeAll(async () => {
  const [cert, key] = ['apiserver.crt', 'apiserver.key'].map((name) => decode(READS.cert, name));
  server = createServer(
    { cert, key, requestCert: true, rejectUnauthorized: false },
    (call, reply) => {
      const { 'x-remote-user': user } = call.headers;
      const leaf = (call.socket as TLSSocket).getPeerCertificate().subject.CN;
      received.push({ user: user?.toString(), leaf: String(leaf), url: call.url });
      reply.writeHead(behavior.status, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(bodyOf(behavior)));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

const accessWith = (more: Pick<LeafAccess, 'leaf' | 'isFrontProxy'>): LeafAccess => ({
  ...{ clock: systemClock, server: INPUTS.inClusterServer, ca: CA },
  dial: async () => {
    const socket = connect(port(), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  },
  ...more,
});

describe('askWithLeaf', () => {
  it.each([
    ['selfSubjectReview', { status: 201, user: PROBE_USER }, { status: 201, isNamed: true }],
    ['selfSubjectReview', { status: 201, user: 'system:anonymous' }, { status: 201 }],
    ['selfSubjectReview', { status: 401 }, { status: 401 }],
    ['selfSubjectReview', { status: 403, user: PROBE_USER }, { status: 403 }],
    ['forbiddenCall', { status: 403, user: PROBE_USER }, { status: 403, isNamed: true }],
    ['forbiddenCall', { status: 403, user: 'system:anonymous' }, { status: 403 }],
    ['forbiddenCall', { status: 401 }, { status: 401 }],
    ['forbiddenCall', { status: 503 }, { status: 503 }],
  ] as const)('returns what %s shows for %j', async (question, given, expected) => {
    behavior = given;
    const access = accessWith({ leaf: await leafOf('ca'), isFrontProxy: false });
    expect(await askWithLeaf(question, access)).toEqual({ kind: 'status', ...expected });
    expect(received.at(-1)).toMatchObject({ leaf: PROBE_USER, user: undefined });
  });

  it('speaks for a user with a leaf of front proxies', async () => {
    behavior = { status: 403, user: PROBE_USER };
    const leaf = await leafOf('front-proxy-ca');
    await askWithLeaf('forbiddenCall', accessWith({ leaf, isFrontProxy: true }));
    expect(received.at(-1)).toMatchObject({ leaf: 'front-proxy-client', user: PROBE_USER });
  });

  it('does not reach a server with a certificate of another CA, or none', async () => {
    const access = accessWith({ leaf: await leafOf('ca'), isFrontProxy: false });
    const refused = new EtcdConnectionError({ stage: 'connect', code: 'ECONNREFUSED' });
    const forbidden = new ForwardError('forward to pod a/b', 'HTTP 403', 403);
    const others: readonly (readonly [Partial<LeafAccess>, string])[] = [
      [{ ca: decode(READS.cert, 'etcd-ca.crt') }, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      [{ dial: () => Promise.reject(refused) }, 'connection refused'],
      [{ dial: () => Promise.reject(forbidden) }, 'forward to pod a/b: HTTP 403'],
    ];
    for (const [other, cause] of others)
      expect(await askWithLeaf('forbiddenCall', { ...access, ...other })).toEqual({
        ...{ kind: 'unreachable', cause },
      });
  });
});

describe('presentedCertificate', () => {
  const dial = (to: number) => async () => {
    const socket = connect(to, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  it('returns the certificate of a server', async () => {
    const found = await presentedCertificate(dial(port()), 'any.name');
    expect(found).toBe(decode(READS.cert, 'apiserver.crt'));
  });

  it('rejects with the error of the dialer, or when the server ends the connection', async () => {
    const failing = () => Promise.reject(new Error('refused'));
    await expect(presentedCertificate(failing, 'any.name')).rejects.toThrow('refused');
    const plain = createPlainServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port: to } = plain.address() as AddressInfo;
    const found = presentedCertificate(dial(to), 'any.name');
    await expect(found.finally(() => plain.close())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
