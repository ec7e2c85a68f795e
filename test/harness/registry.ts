import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { controlGroups } from '../../tools/embedded-cluster/cgroups.ts';
import { nodePathFile, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { registriesDirectory } from '../../tools/embedded-cluster/configuration.ts';
import { ctr } from '../../tools/embedded-cluster/containerd.ts';
import { inNode, startInNode } from '../../tools/embedded-cluster/node.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { newPair } from '../../tools/embedded-cluster/certificate-pair.ts';

/** Registry on the node of a cluster. */
export interface Registry {
  /** Host and port, the prefix of its image names. */
  readonly host: string;
  /** File with the CA of its certificate. */
  readonly ca: string;
  readonly user: string;
  readonly password: string;
}

const program = 'registry';
const port = 5000;
const access = { user: 'puller', password: 'right "password": {x}' };

/**
 * Starts an empty registry for a cluster; replaces a running one.
 * @param anonymous true if the registry accepts requests without a password
 */
export async function startRegistry(cluster: Cluster, anonymous = false): Promise<Registry> {
  stopRegistry(cluster);
  const { registry } = await ensureBinaries(['registry']);
  const { node } = addressesOf(slotOf(cluster.name) ?? NaN);
  const host = `${node}:${port}`;
  const directory = join(cluster.node.directory, program);
  await mkdir(directory, { recursive: true });
  const ca = await newPair({ commonName: 'registry-ca' });
  const serving = await newPair({ commonName: 'registry', hosts: [node] }, ca);
  const file = (name: string): string => join(directory, name);
  await writeFile(file('ca.crt'), ca.cert);
  await writeFile(file('serving.crt'), serving.cert);
  await writeFile(file('serving.key'), serving.key, { mode: 0o600 });
  const line = await run([registry, 'htpasswd', access.user], { input: access.password });
  await writeFile(file('htpasswd'), line);
  const { auth, ...open } = configuration(host, file);
  await writeFile(file('config.yml'), dump(anonymous ? open : { ...open, auth }));
  await trust(cluster, host, file('ca.crt'));
  startInNode(cluster.node, program, [registry, file('config.yml')]);
  await poll('the registry responds', async (seen) => {
    const url = `https://${host}/v2/`;
    const result = await attempt(inNode(cluster.node, ['curl', '-sk', '-o', '/dev/null', url]));
    seen(result.stderr);
    return result.code === 0 ? true : undefined;
  });
  return { host, ca: file('ca.crt'), ...access };
}

const configuration = (addr: string, file: (name: string) => string) => ({
  version: 0.1,
  log: { level: 'warn' },
  storage: { filesystem: { rootdirectory: file('data') } },
  http: { addr, tls: { certificate: file('serving.crt'), key: file('serving.key') } },
  auth: { htpasswd: { realm: 'embedded', path: file('htpasswd') } },
});

/** Configures the CA of the registry in the container runtime, which reads the configuration at each pull. */
async function trust(cluster: Cluster, host: string, ca: string): Promise<void> {
  const directory = join(registriesDirectory(cluster.node.directory), host);
  await mkdir(directory, { recursive: true });
  const url = JSON.stringify(`https://${host}`);
  const text = `server = ${url}\n[host.${url}]\n  ca = ${JSON.stringify(ca)}\n`;
  await writeFile(join(directory, 'hosts.toml'), text);
}

const proxyProgram = 'slow-proxy';
const proxyPort = 5001;

/**
 * Starts a second address of the registry that answers slowly for some time after the first request.
 * @returns its host and port, the prefix of image names
 */
export async function startSlowAddress(
  cluster: Cluster,
  { host, ca }: Registry,
  seconds: number,
): Promise<string> {
  const address = host.replace(/:.*/, '');
  const slow = `${address}:${proxyPort}`;
  await trust(cluster, slow, ca);
  startInNode(cluster.node, proxyProgram, [
    process.execPath,
    join(checkout, 'test/harness/slow-proxy.mjs'),
    ...[address, proxyPort, port, seconds].map(String),
  ]);
  await poll('the slow address listens', async (seen) => {
    const listening = await run(inNode(cluster.node, ['cat', '/proc/net/tcp']));
    seen(listening);
    // Local address and port in hexadecimal digits, and the state LISTEN.
    return new RegExp(`:${proxyPort.toString(16)} \\S+ 0A`, 'i').test(listening) || undefined;
  });
  return slow;
}

/** Stops the registry and its slow address if they run. */
export function stopRegistry(cluster: Cluster): void {
  const groups = controlGroups(cluster.name);
  for (const name of [program, proxyProgram])
    for (const pid of groups.processes(name)) process.kill(pid, 'SIGKILL');
}

/**
 * Pushes an image of the node to the registry.
 * @param image image name on the node, for example `registry.k8s.io/etcd:3.6.6-0`
 * @param name image name in the registry, with tag, without host
 */
export async function pushImage(
  cluster: Cluster,
  { host, user, password }: Registry,
  image: string,
  name: string,
): Promise<void> {
  const path = await readFile(nodePathFile(cluster.name), 'utf8');
  const hosts = ['--hosts-dir', registriesDirectory(cluster.node.directory)];
  const push = ['images', 'push', ...hosts, '--user', `${user}:${password}`];
  const target = [`${host}/${name}`, image];
  await run(ctr({ node: cluster.node, path }, [...push, ...target]));
}
