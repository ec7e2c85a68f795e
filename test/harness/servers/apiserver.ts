import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resourceOf, type RawEvent } from '../../../tools/embedded-cluster/audit.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { newPair, type Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { freePorts, startServer, type Server } from './process.ts';

/** Options of a test API server. */
export interface ApiServerOptions {
  /** Write one JSON line per finished request to `auditFile`. */
  readonly audit?: boolean;
  /** Static bearer tokens: token -> user name; every such user is a cluster admin. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Additional kube-apiserver flags, as `--name=value`. */
  readonly flags?: readonly string[];
}

/** One request in the audit log. */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  /** `deployments.apps`, `pods/log`, or the path of a non-resource request. */
  readonly resource: string;
  readonly user: string;
  readonly code: number;
  readonly userAgent: string;
}

/** A real kube-apiserver with a real etcd, on the loopback interface. */
export interface ApiServer {
  readonly url: string;
  readonly port: number;
  readonly etcdUrl: string;
  /** PEM of the CA that signed the serving certificate and may sign client certificates. */
  readonly ca: Pair;
  readonly caData: string;
  /** Client certificate in the group system:masters, PEM. */
  readonly admin: Pair;
  /** The admin's kubeconfig with everything inline, as JSON (which is YAML). */
  readonly kubeconfig: string;
  readonly directory: string;
  /** A further client certificate signed by the same CA. */
  clientPair(commonName: string, organization: string): Promise<Pair>;
  /** Kills kube-apiserver (SIGKILL); etcd keeps running. */
  kill(): Promise<void>;
  /** Restarts kube-apiserver on the same port; terminates it gracefully if it runs. */
  restart(): Promise<void>;
  /** Compacts etcd, so that requests with earlier resource versions fail (410). */
  compact(): Promise<void>;
  /** Finished requests in the audit log. */
  auditLog(): Promise<AuditEntry[]>;
  /** Stops both processes and removes the directory. */
  stop(): Promise<void>;
}

const READY_DEADLINE_MS = 60_000;

const AUDIT_POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [{ level: 'Metadata' }],
});

function kubeconfigOf(server: string, ca: Pair, admin: Pair): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      { name: 'test', cluster: { server, 'certificate-authority-data': base64(ca.cert) } },
    ],
    users: [
      {
        name: 'admin',
        user: {
          'client-certificate-data': base64(admin.cert),
          'client-key-data': base64(admin.key),
        },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
  });
}

/** Calls `ask` until it returns 200; if the process ends or the deadline passes, throws an error with its log. */
async function untilReady(ask: () => Promise<number>, server: Server, what: string): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  let seen = 'no answer';
  while (Date.now() < deadline) {
    if (server.ended()) throw new Error(`${what} ended before it was ready:\n${server.tail()}`);
    try {
      const code = await ask();
      if (code === 200) return;
      seen = `HTTP ${code}`;
    } catch (error) {
      seen = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} was not ready in time, last seen: ${seen}\n${server.tail()}`);
}

function askHttp(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpGet(url, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).once('error', reject);
  });
}

/** Sends a GET request with a client certificate, and returns the HTTP status. */
export function askHttps(url: string, ca: Pair, client: Pair): Promise<number> {
  return new Promise((resolve, reject) => {
    httpsRequest(url, { ca: ca.cert, ...client, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once('error', reject)
      .end();
  });
}

function etcdArgs(directory: string, client: string, peer: string): string[] {
  return [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ];
}

async function writeFiles(directory: string, files: Record<string, string>): Promise<void> {
  await Promise.all(
    Object.entries(files).map(([name, content]) =>
      writeFile(join(directory, name), content, { mode: 0o600 }),
    ),
  );
}

function apiServerArgs(
  directory: string,
  port: number,
  etcd: string,
  o: ApiServerOptions,
): string[] {
  const file = (name: string): string => join(directory, name);
  return [
    'kube-apiserver',
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${file('serving.crt')}`,
    `--tls-private-key-file=${file('serving.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('serving.key')}`,
    `--service-account-signing-key-file=${file('serving.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
    '--profiling=false',
    ...(o.tokens === undefined ? [] : [`--token-auth-file=${file('tokens.csv')}`]),
    ...(o.audit === true
      ? [
          `--audit-policy-file=${file('audit-policy.json')}`,
          `--audit-log-path=${file('audit.log')}`,
        ]
      : []),
    ...(o.flags ?? []),
  ];
}

async function readAuditLog(directory: string): Promise<AuditEntry[]> {
  const text = await readFile(join(directory, 'audit.log'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const entry = JSON.parse(line) as RawEvent & {
        readonly verb: string;
        readonly requestURI: string;
        readonly user: { readonly username: string };
      };
      return {
        verb: entry.verb,
        requestURI: entry.requestURI,
        resource: resourceOf(entry),
        user: entry.user.username,
        code: entry.responseStatus?.code ?? 0,
        userAgent: entry.userAgent ?? '',
      };
    });
}

async function etcdCall(etcdUrl: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function compactEtcd(etcdUrl: string): Promise<void> {
  const key = Buffer.from('/').toString('base64');
  const answer = (await etcdCall(etcdUrl, '/v3/kv/range', { key, keys_only: true })) as {
    header: { revision: string };
  };
  await etcdCall(etcdUrl, '/v3/kv/compaction', {
    revision: answer.header.revision,
    physical: true,
  });
}

/** Starts etcd and kube-apiserver without root, on free ports, in a temporary directory. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { etcd, kubernetes } = await ensureBinaries(['etcd', 'kubernetes']);
  const directory = await mkdtemp(join(tmpdir(), 'apiserver-'));
  const [port = 0, etcdPort = 0, peerPort = 0] = await freePorts(3);
  const url = `https://127.0.0.1:${port}`;
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const store = startServer(
    etcd,
    etcdArgs(directory, etcdUrl, `http://127.0.0.1:${peerPort}`),
    join(directory, 'etcd.log'),
  );
  const ca = await newPair({ commonName: 'test-ca' });
  const [serving, admin] = await Promise.all([
    newPair(
      {
        commonName: 'kube-apiserver',
        hosts: ['127.0.0.1', '::1', 'localhost', 'kubernetes.default.svc'],
      },
      ca,
    ),
    newPair({ commonName: 'admin', organization: 'system:masters' }, ca),
  ]);
  const kubeconfig = kubeconfigOf(url, ca, admin);
  await writeFiles(directory, {
    'ca.crt': ca.cert,
    'serving.crt': serving.cert,
    'serving.key': serving.key,
    'audit-policy.json': AUDIT_POLICY,
    kubeconfig,
    'tokens.csv': Object.entries(options.tokens ?? {})
      .map(([token, user]) => `${token},${user},${user},system:masters`)
      .join('\n'),
  });
  const startApi = async (): Promise<Server> => {
    const args = apiServerArgs(directory, port, etcdUrl, options);
    const server = startServer(kubernetes, args, join(directory, 'kube-apiserver.log'));
    await untilReady(() => askHttps(`${url}/readyz`, ca, admin), server, 'kube-apiserver');
    const namespace = `${url}/api/v1/namespaces/default`;
    await untilReady(() => askHttps(namespace, ca, admin), server, 'the default namespace');
    return server;
  };
  await untilReady(() => askHttp(`${etcdUrl}/health`), store, 'etcd');
  let api = await startApi();
  return {
    url,
    port,
    etcdUrl,
    ca,
    caData: ca.cert,
    admin,
    kubeconfig,
    directory,
    clientPair: (commonName, organization) => newPair({ commonName, organization }, ca),
    kill: () => api.end('SIGKILL'),
    restart: async () => {
      await api.end('SIGTERM');
      api = await startApi();
    },
    compact: () => compactEtcd(etcdUrl),
    auditLog: () => readAuditLog(directory),
    stop: async () => {
      await api.end('SIGKILL');
      await store.end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
