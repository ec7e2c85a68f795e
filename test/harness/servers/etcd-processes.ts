/** Members of etcd as processes on the loopback interface, with TLS for clients. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EtcdTarget } from '../../../src/etcd/client.ts';
import { dialTcp, secureContextOf, type Dial } from '../../../src/etcd/dial.ts';
import { makeKey } from '../../../src/pki/keys.ts';
import { selfSigned, signedBy } from '../../../src/pki/x509.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { freePorts, startServer, type Server } from './process.ts';

/** Flags of a member that matter while it has no data. */
interface Bootstrap {
  /** Members of `--initial-cluster`. */
  readonly cluster: readonly string[];
  /** `--initial-cluster-state`. */
  readonly state?: 'new' | 'existing';
  readonly flags?: readonly string[];
}

interface Member {
  readonly client: number;
  readonly peer: number;
  readonly metrics: number;
  /** Data directory; the log is next to it. */
  readonly data: string;
  readonly token: string;
  server?: Server;
}

/** Members of a test file. The certificate is valid for each name in `domain`. */
export class EtcdProcesses {
  readonly context: SecureContext;
  readonly #program: string;
  readonly #directory: string;
  readonly #domain: string;
  readonly #members = new Map<string, Member>();
  #lives = 0;

  private constructor(program: string, directory: string, domain: string, context: SecureContext) {
    this.#program = program;
    this.#directory = directory;
    this.#domain = domain;
    this.context = context;
  }

  /** Builds etcd if necessary, and creates certificates. @param domain of the members, such as `etcd.team.svc` */
  static async create(
    domain: string,
    release: 'etcd' | 'etcd-previous' = 'etcd',
  ): Promise<EtcdProcesses> {
    const { [release]: etcd } = await ensureBinaries([release]);
    const directory = await mkdtemp(join(tmpdir(), 'etcd-processes-'));
    const context = await writeCertificates(directory, domain);
    return new EtcdProcesses(etcd, directory, domain, context);
  }

  /** Stops all members and removes their data. */
  async close(): Promise<void> {
    await this.stopAll();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Gives each member an empty data directory and ports. All ports are allocated at once, so that none is used twice. */
  async allocate(names: readonly string[], tokenOf = (_: string): string => 'one'): Promise<void> {
    const ports = await freePorts(3 * names.length);
    this.#lives += 1;
    for (const [n, name] of names.entries()) {
      const [client = 0, peer = 0, metrics = 0] = ports.slice(3 * n);
      const data = join(this.#directory, `${name}-${this.#lives}`);
      const token = `${tokenOf(name)}-${this.#lives}`;
      this.#members.set(name, { client, peer, metrics, data, token });
    }
  }

  /** Starts an allocated member that does not run. Its data stays from one start to the next. */
  start(name: string, { cluster, state = 'new', flags = [] }: Bootstrap): void {
    const member = this.#member(name);
    const url = `https://127.0.0.1:${member.client}`;
    const initial = cluster.map((other) => `${other}=${this.peerURL(other)}`).join();
    const all = [
      `--name=${name}`,
      `--data-dir=${member.data}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${this.peerURL(name)}`,
      `--initial-advertise-peer-urls=${this.peerURL(name)}`,
      `--listen-metrics-urls=${this.metricsURL(name)}`,
      `--initial-cluster=${initial}`,
      `--initial-cluster-token=${member.token}`,
      `--initial-cluster-state=${state}`,
      `--cert-file=${this.#file('tls.crt')}`,
      `--key-file=${this.#file('tls.key')}`,
      `--trusted-ca-file=${this.#file('ca.crt')}`,
      '--client-cert-auth',
      '--unsafe-no-fsync',
      '--log-level=error',
      ...flags,
    ];
    member.server = startServer(this.#program, all, `${member.data}.log`);
  }

  /** Starts new members that form several etcd clusters. */
  async startClusters(...clusters: readonly (readonly string[])[]): Promise<void> {
    const tokenOf = (name: string): string =>
      String(clusters.findIndex((names) => names.includes(name)));
    await this.allocate(clusters.flat(), tokenOf);
    for (const cluster of clusters) for (const name of cluster) this.start(name, { cluster });
  }

  async stop(...names: readonly string[]): Promise<void> {
    await Promise.all(names.map(async (name) => this.#members.get(name)?.server?.end('SIGKILL')));
  }

  stopAll(): Promise<void> {
    return this.stop(...this.#members.keys());
  }

  /** Process of a member that was started. */
  server(name: string): Server {
    const { server } = this.#member(name);
    if (server === undefined) throw new Error(`${name} was not started`);
    return server;
  }

  target(name: string): EtcdTarget {
    const serverName = `${name}.${this.#domain}`;
    return { dial: this.dial(name), tls: { context: this.context, serverName } };
  }

  dial(name: string): Dial {
    return dialTcp({ host: '127.0.0.1', port: this.#member(name).client });
  }

  peerURL(name: string, scheme: 'http' | 'https' = 'http'): string {
    return `${scheme}://127.0.0.1:${this.#member(name).peer}`;
  }

  /** Flags with the certificate for peers. */
  peerCertificate(): readonly string[] {
    return [
      '--peer-client-cert-auth',
      `--peer-trusted-ca-file=${this.#file('ca.crt')}`,
      `--peer-cert-file=${this.#file('tls.crt')}`,
      `--peer-key-file=${this.#file('tls.key')}`,
    ];
  }

  /** How another process connects to a member. */
  access(name: string): Readonly<Record<'caFile' | 'certificateFile' | 'keyFile' | 'url', string>> {
    return {
      url: `https://127.0.0.1:${this.#member(name).client}`,
      caFile: this.#file('ca.crt'),
      certificateFile: this.#file('tls.crt'),
      keyFile: this.#file('tls.key'),
    };
  }

  /** Flags of etcdctl for a member. */
  clientFlags(name: string): readonly string[] {
    const { url, caFile, certificateFile, keyFile } = this.access(name);
    return [
      `--endpoints=${url}`,
      `--cacert=${caFile}`,
      `--cert=${certificateFile}`,
      `--key=${keyFile}`,
    ];
  }

  /** Flags of `etcdutl snapshot restore` for an allocated member that is alone. */
  restoreFlags(name: string): readonly string[] {
    const { token } = this.#member(name);
    return [
      `--name=${name}`,
      `--initial-cluster=${name}=${this.peerURL(name)}`,
      `--initial-advertise-peer-urls=${this.peerURL(name)}`,
      `--initial-cluster-token=${token}`,
    ];
  }

  /** Data directory of an allocated member. */
  data(name: string): string {
    return this.#member(name).data;
  }

  metricsURL(name: string): string {
    return `http://127.0.0.1:${this.#member(name).metrics}`;
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`${name} is not allocated`);
    return member;
  }

  #file(name: string): string {
    return join(this.#directory, name);
  }
}

/** Writes a CA and one pair for servers and clients. @returns the TLS context of a client */
async function writeCertificates(directory: string, domain: string): Promise<SecureContext> {
  const now = { now: new Date(), random: randomBytes };
  const ca = await selfSigned('CA', await makeKey('ec-p256'), now);
  const usages = ['serverAuth', 'clientAuth'] as const;
  const leaf = { usages, dns: [`*.${domain}`], ips: ['127.0.0.1'] };
  const wanted = { subject: { commonName: 'etcd' }, validityDays: 30, leaf };
  const pair = await signedBy(ca, wanted, await makeKey('ec-p256'), now);
  const files = { 'ca.crt': ca.certificate, 'tls.crt': pair.certificate, 'tls.key': pair.key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return secureContextOf({ ca: ca.certificate, ...pair });
}
