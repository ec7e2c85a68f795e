/**
 * A control plane behind Traefik with TLS passthrough. The objects are those of docs/configure/expose.md.
 *
 * @tier all
 */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump, load, loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { ensureBinaries } from '../../tools/embedded-cluster/binaries.ts';
import { controlGroups, kill } from '../../tools/embedded-cluster/cgroups.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { goModule } from '../../tools/embedded-cluster/go-module.ts';
import { startInNode } from '../../tools/embedded-cluster/node.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { sampleObjects } from '../demo/install.ts';
import { fencedBlocks } from '../docs/markdown-commands.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';

const PROGRAM = 'traefik';
const GATEWAYS = 'gateways';
/** Port of the entry point with the Helm chart of Traefik. Its Service has port 443, which this test does not need. */
const PORT = 8443;
const ENDPOINT = 'karmada.example.com';
/** Name and namespace of the sample with an external endpoint. */
const name = 'karmada-exposed';
const namespace = name;

interface Kubeconfig {
  clusters: { cluster: { server: string; 'tls-server-name'?: string } }[];
}

/** Files with the CRDs of the Gateway API (Standard channel) and of Traefik. */
async function crdFiles(): Promise<string[]> {
  const [gateway, traefik] = await Promise.all(
    ['sigs.k8s.io/gateway-api', 'github.com/traefik/traefik/v3'].map((module) =>
      goModule(module, join(checkout, 'tools/embedded-cluster/go', PROGRAM)),
    ),
  );
  const folder = join(gateway ?? '', 'config/crd/standard');
  // The only other file is an admission policy for upgrades of the CRDs.
  const names = (await readdir(folder)).filter((file) => /^gateway\..*s\.yaml$/.test(file));
  const reference = 'docs/content/reference/dynamic-configuration';
  return [
    ...names.filter((file) => !file.includes('_vap_')).map((file) => join(folder, file)),
    join(traefik ?? '', reference, 'kubernetes-crd-definition-v1.yml'),
  ];
}

/** Objects of these kinds on the page, in its order. */
async function documented(...kinds: readonly string[]): Promise<KubernetesObject[]> {
  const page = await readFile(join(checkout, 'docs/configure/expose.md'), 'utf8');
  const objects = fencedBlocks(page, 'yaml').flatMap((text) => loadAll(text) as KubernetesObject[]);
  const found = objects.filter(({ kind }) => kinds.includes(kind));
  expect(found.map(({ kind }) => kind)).toEqual(kinds);
  return found;
}

describeCluster('external access through Traefik', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  const clean = async (): Promise<void> => {
    for (const pid of controlGroups(cluster.name).processes(PROGRAM)) kill(pid);
    const inNamespace = ['-n', namespace, '--timeout=120s'];
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace]);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, GATEWAYS, '--timeout=180s']);
    for (const file of await crdFiles())
      await tryKubectl(cluster, ['delete', '--ignore-not-found', '-f', file]);
  };

  /** Writes the administrator kubeconfig with the address of the node in place of a DNS record of the endpoint. */
  async function writeKubeconfig(): Promise<string> {
    const secret = ['get', 'secret', `${name}-admin-config`, '-n', namespace, '-o'];
    const text = await kubectl(cluster, [...secret, 'jsonpath={.data.kubeconfig}']);
    const config = load(Buffer.from(text, 'base64').toString('utf8')) as Kubeconfig;
    const [entry] = config.clusters;
    expect(entry?.cluster.server).toBe(`https://${ENDPOINT}:443`);
    const server = `https://${node()}:${String(PORT)}`;
    const named = { ...entry?.cluster, server, 'tls-server-name': ENDPOINT };
    const file = join(await mkdtemp(join(tmpdir(), 'traefik-')), 'kubeconfig');
    const clusters = [{ ...entry, cluster: named }];
    await writeFile(file, dump({ ...config, clusters }), { mode: 0o600 });
    return file;
  }

  const node = (): string => addressesOf(slotOf(cluster.name) ?? NaN).node;

  /** Starts Traefik on the node, where it reaches the Pods. The name of the entry point is that of its Helm chart. */
  async function startTraefik(): Promise<void> {
    const { traefik } = await ensureBinaries([PROGRAM]);
    const command = [traefik, 'websecure', `${node()}:${String(PORT)}`];
    startInNode(cluster.node, PROGRAM, command, { KUBECONFIG: cluster.kubeconfig });
  }

  /** Waits until clients outside the cluster reach the control plane, or do not. */
  const untilReached = (reached: boolean): Promise<string> =>
    poll(`the control plane is ${reached ? '' : 'not '}reached`, async (seen) => {
      const program = join(cluster.bin, 'kubectl');
      const list = ['get', 'clusters', '--request-timeout=5s'];
      const result = await attempt([program, '--kubeconfig', kubeconfig, ...list]);
      const text = result.stdout + result.stderr;
      seen(text);
      return (result.code === 0) === reached ? text : undefined;
    });

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await clean();
    await installOperator(cluster);
    const files = (await crdFiles()).flatMap((file) => ['-f', file]);
    await kubectl(cluster, ['apply', '--server-side', ...files]);
    await kubectl(cluster, ['wait', 'crd', '--all', '--for=condition=Established']);
    await apply(cluster, ...(await sampleObjects('samples/karmada-exposed.yaml')));
    await untilReady(cluster, name, namespace);
    kubeconfig = await writeKubeconfig();
    await startTraefik();
  }, 2_400_000);

  afterAll(clean, 600_000);

  it('works with the Gateway and the TLSRoute of the page', async () => {
    await untilReached(false);
    const gatewayClass = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'traefik' },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    };
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: GATEWAYS } });
    await apply(cluster, gatewayClass, ...(await documented('Gateway', 'TLSRoute')));
    expect(await untilReached(true)).toContain('No resources found');
    await kubectl(cluster, ['delete', 'tlsroute', 'karmada', '-n', namespace]);
    await untilReached(false);
  }, 240_000);

  it('works with the IngressRouteTCP of the page', async () => {
    await apply(cluster, ...(await documented('IngressRouteTCP')));
    expect(await untilReached(true)).toContain('No resources found');
  }, 240_000);
});
