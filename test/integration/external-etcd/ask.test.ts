import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createSecureServer as createHttp2, type SecureServerOptions } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  probeResultOf,
  summarizeProbes,
  type ProbeResult,
} from '../../../src/external-etcd/probe-results.ts';
import { clientContext, probeEndpoint } from '../../../src/external-etcd/probe.ts';
import type { Credentials } from '../../../src/external-etcd/credentials.ts';
import type { ProbeLimits } from '../../../src/external-etcd/probe-deadline.ts';
import { parseCidr } from '../../../src/kubernetes/connection/addresses.ts';
import { addressesOf, NameResolver } from '../../../src/kubernetes/connection/name-resolver.ts';
import { parseEndpoint, type Endpoint } from '../../../src/external-etcd/endpoint.ts';
import { makeKey, type KeyAlgorithm } from '../../../src/pki/keys.ts';
import type { KeyPair } from '../../../src/pki/types.ts';
import { DAY, selfSigned, signedBy } from '../../../src/pki/x509.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { etcdVersion } from '../../../tools/embedded-cluster/releases.ts';
import { freePorts, startServer, type Server } from '../../harness/servers/process.ts';

const where = { namespace: 'team', dnsDomain: 'cluster.local' };
const context = { now: new Date(), random: randomBytes };

let ca: KeyPair;
let good: Credentials;
const etcds: Server[] = [];
let program: string;
let directory: string;
let url: string;
/** Client URL of an etcd that serves only gRPC there. */
let grpcUrl: string;
const open: NetServer[] = [];

interface Wanted {
  readonly commonName?: string;
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  readonly kind?: KeyAlgorithm;
}

async function leaf(signer: KeyPair, wanted: Wanted = {}, now = new Date()): Promise<KeyPair> {
  const { commonName = 'x', dns = [], ips = ['127.0.0.1'], kind = 'ec-p256' } = wanted;
  const usages = ['serverAuth', 'clientAuth'] as const;
  const certified = { subject: { commonName }, validityDays: 30, leaf: { usages, dns, ips } };
  return signedBy(signer, certified, await makeKey(kind), { now, random: randomBytes });
}

const credentialsOf = (authority: string, { certificate, key }: KeyPair): Credentials => ({
  'ca.crt': authority,
  'tls.crt': certificate,
  'tls.key': key,
});

/** The servers of these tests use the loopback interface. */
const addresses = addressesOf(
  { allowed: ['127.0.0.0/8', '::1'].map(parseCidr) },
  new NameResolver(),
)('team');

const ask = async (
  endpoint: string | Endpoint,
  credentials = good,
  limits: Partial<ProbeLimits> = {},
): Promise<ProbeResult> => {
  const parsed = typeof endpoint === 'string' ? parseEndpoint(endpoint, where) : endpoint;
  const { signal } = new AbortController();
  return probeResultOf(
    await probeEndpoint({ ...parsed, addresses }, clientContext(credentials), signal, limits),
  );
};

const reasonOf = (answer: ProbeResult): string =>
  'fault' in answer ? answer.fault.reason : 'none';

/** Listens on the loopback interface until the test ends. @returns `127.0.0.1:port` */
async function listen(server: NetServer): Promise<string> {
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Responses of a healthy etcd 3.6.6 by gRPC method; RangeResponse may be empty. */
const MESSAGES: Readonly<Record<string, Buffer>> = {
  '/etcdserverpb.KV/Range': Buffer.alloc(0),
  '/etcdserverpb.Maintenance/Status': Buffer.concat([Buffer.of(0x12, 5), Buffer.from('3.6.6')]),
};

/** TLS server that responds like etcd. */
async function stand(pair: KeyPair, options: SecureServerOptions = {}): Promise<string> {
  const server = createHttp2({ cert: pair.certificate, key: pair.key, ...options });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, { ':path': path = '' }) => {
    const message = MESSAGES[path] ?? Buffer.alloc(0);
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([Buffer.of(0, 0, 0, 0, message.length), message]));
  });
  return `https://${await listen(server)}`;
}

const at = (name: string): string => join(directory, name);

interface Ports {
  readonly client: string;
  readonly peer: string;
}

async function portsOf(): Promise<Ports> {
  const [client = 0, peer = 0] = await freePorts(2);
  return { client: `https://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` };
}

/** Starts an etcd member that requires client certificates. */
function start(name: string, { client, peer }: Ports, more: readonly string[] = []): Server {
  const flags = [
    `--name=${name}`,
    `--data-dir=${at(name)}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${name}=${peer}`,
    `--cert-file=${at('tls.crt')}`,
    `--key-file=${at('tls.key')}`,
    `--trusted-ca-file=${at('ca.crt')}`,
    '--client-cert-auth',
    '--unsafe-no-fsync',
    '--log-level=error',
    // The last flag takes precedence.
    ...more,
  ];
  const server = startServer(program, flags, at(`${name}.log`));
  etcds.push(server);
  return server;
}

async function until(what: string, endpoint: string, reason: string): Promise<ProbeResult> {
  return poll(what, async (seen) => {
    const answer = await ask(endpoint);
    seen(JSON.stringify(answer));
    return reasonOf(answer) === reason ? answer : undefined;
  });
}

beforeAll(async () => {
  ({ etcd: program } = await ensureBinaries(['etcd']));
  directory = await mkdtemp(join(tmpdir(), 'external-etcd-'));
  ca = await selfSigned('CA', await makeKey('ec-p256'), context);
  good = credentialsOf(ca.certificate, await leaf(ca));
  const server = await leaf(ca, { dns: ['localhost'] });
  const files = { 'ca.crt': ca.certificate, 'tls.crt': server.certificate, 'tls.key': server.key };
  for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
  const [http = 0] = await freePorts(1);
  const [both, apart] = [await portsOf(), await portsOf()];
  [url, grpcUrl] = [both.client, apart.client];
  start('both', both);
  start('apart', apart, [`--listen-client-http-urls=http://127.0.0.1:${http}`]);
  await until('etcd is healthy', url, 'none');
  await until('etcd is healthy over gRPC', grpcUrl, 'none');
}, 600_000);

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close();
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
  }
});

afterAll(async () => {
  await Promise.all(etcds.map((etcd) => etcd.end('SIGKILL')));
  await rm(directory, { recursive: true, force: true });
});

describe('external etcd that requires client certificates', () => {
  it('reports health and version over HTTP', async () => {
    expect(await ask(url)).toEqual({ version: etcdVersion });
    expect(await ask(url.replace('127.0.0.1', 'localhost'))).toEqual({ version: etcdVersion });
    expect(await ask(url.replace('https://', ''))).toEqual({ version: etcdVersion });
  });

  it('reports whose data it has', async () => {
    const dataBelow = async (prefix: string): Promise<object | undefined> => {
      const { signal } = new AbortController();
      const endpoint = { ...parseEndpoint(url, where), prefixes: [prefix] };
      return (await probeEndpoint(endpoint, clientContext(good), signal)).data;
    };
    expect(await dataBelow('/empty')).toMatchObject({ kind: 'none' });
    const put = async (key: string, value: string): Promise<void> => {
      const files = [
        '--cacert',
        at('client-ca.crt'),
        '--cert',
        at('client.crt'),
        '--key',
        at('client.key'),
      ];
      await writeFile(at('client-ca.crt'), good['ca.crt']);
      await writeFile(at('client.crt'), good['tls.crt']);
      await writeFile(at('client.key'), good['tls.key']);
      const etcdctl = at('etcdctl');
      await symlink(program, etcdctl).catch(() => undefined);
      await promisify(execFile)(etcdctl, ['--endpoints', url, ...files, 'put', key, value]);
    };
    await put('/unknown/pods/a', 'x');
    expect(await dataBelow('/unknown')).toMatchObject({
      kind: 'unidentified',
      keys: '1',
      clusterID: expect.stringMatching(/^[0-9a-f]+$/),
    });
    await put('/other/namespaces/kube-system', JSON.stringify({ metadata: { uid: 'uid-1' } }));
    expect(await dataBelow('/other')).toEqual({ kind: 'cluster', prefix: '/other', uid: 'uid-1' });
    expect(await dataBelow('/othe')).toMatchObject({ kind: 'none' });
  });

  it('reports health and version over gRPC when the client URL serves only gRPC', async () => {
    expect(await ask(grpcUrl)).toEqual({ version: etcdVersion });
    expect(await ask(grpcUrl.replace('127.0.0.1', 'localhost'))).toEqual({ version: etcdVersion });
  });

  it('is reached under the second name when the first name cannot be resolved', async () => {
    const endpoint = parseEndpoint(url.replace('127.0.0.1', 'localhost'), where);
    const names = ['etcd.team.svc.cluster.invalid', 'localhost'];
    expect(await ask({ ...endpoint, names })).toEqual({ version: etcdVersion });
  });

  it('accepts client certificates with RSA keys', async () => {
    const client = await leaf(ca, { kind: 'rsa-2048' });
    expect(await ask(url, credentialsOf(ca.certificate, client))).toEqual({ version: etcdVersion });
  });

  it('rejects a client certificate that is expired or signed by another CA', async () => {
    const other = await selfSigned('Other', await makeKey('ec-p256'), context);
    const stranger = credentialsOf(ca.certificate, await leaf(other));
    const old = await leaf(ca, {}, new Date(Date.now() - 31 * DAY));
    for (const credentials of [stranger, credentialsOf(ca.certificate, old)])
      for (const endpoint of [url, grpcUrl])
        expect(reasonOf(await ask(endpoint, credentials))).toBe('EtcdClientCertificateRefused');
  });

  it('is not trusted when ca.crt contains another CA', async () => {
    const other = await selfSigned('Other', await makeKey('ec-p256'), context);
    const credentials = { ...good, 'ca.crt': other.certificate };
    expect(reasonOf(await ask(url, credentials))).toBe('EtcdCertificateUntrusted');
  });

  it('is reported as EtcdSchemeWrong when the endpoint uses http', async () => {
    for (const endpoint of [url, grpcUrl])
      expect(reasonOf(await ask(endpoint.replace('https', 'http')))).toBe('EtcdSchemeWrong');
  });
});

it('external etcd is reported as unhealthy when one of two members is down', async () => {
  const [first, second] = [await portsOf(), await portsOf()];
  const cluster = [`--initial-cluster=first=${first.peer},second=${second.peer}`];
  start('first', first, cluster);
  const other = start('second', second, cluster);
  await until('the first member is healthy', first.client, 'none');
  await until('the second member is healthy', second.client, 'none');
  await other.end('SIGKILL');
  const answer = await until('the first member has no quorum', first.client, 'EtcdUnhealthy');
  expect(answer).toMatchObject({
    fault: { text: expect.stringMatching(/not healthy|no health status/) },
  });
  expect(reasonOf(await ask(second.client))).toBe('EtcdUnreachable');
});

describe('external etcd probe', () => {
  it('trusts a server certificate when ca.crt contains only its intermediate CA, like Go', async () => {
    const subject = { commonName: 'Intermediate' };
    const key = await makeKey('ec-p256');
    const middle = await signedBy(ca, { subject, validityDays: 90 }, key, context);
    const server = await stand(await leaf(middle));
    expect(reasonOf(await ask(server))).toBe('EtcdCertificateUntrusted');
    expect(await ask(server, { ...good, 'ca.crt': middle.certificate })).toEqual({
      version: '3.6.6',
    });
  });

  it.each<[string, () => Promise<KeyPair>, string]>([
    ['for another address', () => leaf(ca, { ips: ['127.0.0.2'] }), 'EtcdCertificateNameMismatch'],
    [
      'for a name only',
      () => leaf(ca, { dns: ['localhost'], ips: [] }),
      'EtcdCertificateNameMismatch',
    ],
    [
      'that has expired',
      () => leaf(ca, {}, new Date(Date.now() - 31 * DAY)),
      'EtcdServerCertificateExpired',
    ],
    [
      'that is not valid yet',
      () => leaf(ca, {}, new Date(Date.now() + 2 * DAY)),
      'EtcdServerCertificateExpired',
    ],
  ])('reports a server certificate %s', async (_, make, reason) => {
    expect(reasonOf(await ask(await stand(await make())))).toBe(reason);
  });

  it('reports a name mismatch when the name is only in the common name of the certificate', async () => {
    const pair = await leaf(ca, { commonName: 'localhost', ips: [] });
    const server = await stand(pair);
    expect(reasonOf(await ask(server.replace('127.0.0.1', 'localhost')))).toBe(
      'EtcdCertificateNameMismatch',
    );
  });

  it('reports a rejected client certificate when the server uses TLS 1.2', async () => {
    const options = { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' } as const;
    const other = await selfSigned('Other', await makeKey('ec-p256'), context);
    const server = await stand(await leaf(ca), { ...options, ca: other.certificate });
    const answer = await ask(server);
    expect(['EtcdClientCertificateRefused', 'EtcdHandshakeFailed']).toContain(reasonOf(answer));
  });

  it('reports NotEtcd when the server is no etcd', async () => {
    const { certificate: cert, key } = await leaf(ca);
    const other = createHttps({ cert, key }, (_, response) => {
      response.statusCode = 404;
      response.end('x'.repeat(1_000_000));
    });
    expect(reasonOf(await ask(`https://${await listen(other)}`))).toBe('NotEtcd');
    const plain = createHttp((_, response) => response.end('hello'));
    const address = await listen(plain);
    expect(reasonOf(await ask(`http://${address}`))).toBe('NotEtcd');
    expect(reasonOf(await ask(`https://${address}`))).toBe('EtcdSchemeWrong');
  });

  it('reports a timeout when the server accepts connections and sends nothing', async () => {
    const address = await listen(createTcp(() => undefined));
    expect(reasonOf(await ask(`https://${address}`, good, { answerMs: 300 }))).toBe(
      'EtcdHandshakeFailed',
    );
    expect(reasonOf(await ask(`http://${address}`, good, { answerMs: 300 }))).toBe('EtcdUnhealthy');
  });

  it('reports an unreachable address and an unresolved name', async () => {
    const [port = 0] = await freePorts(1);
    expect(reasonOf(await ask(`https://127.0.0.1:${port}`))).toBe('EtcdUnreachable');
    expect(reasonOf(await ask('https://etcd.example.invalid:2379'))).toBe('EtcdNameNotResolved');
  });

  it('reports an error when OpenSSL rejects the client key', async () => {
    const credentials = { ...good, 'tls.key': 'x' };
    expect(reasonOf(await ask(url, credentials))).toBe('EtcdHandshakeFailed');
  });

  it('ends immediately when it is aborted', async () => {
    const address = await listen(createTcp(() => undefined));
    const abort = new AbortController();
    const asked = probeEndpoint(
      parseEndpoint(`https://${address}`, where),
      clientContext(good),
      abort.signal,
    );
    abort.abort();
    const observation = await asked;
    expect(summarizeProbes([observation]).serves).toBe(false);
  });
});
