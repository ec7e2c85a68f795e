import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump, load } from 'js-yaml';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { controlGroups, kill } from '../../tools/embedded-cluster/cgroups.ts';
import {
  kubectl,
  nodePathFile,
  tryKubectl,
  type Cluster,
} from '../../tools/embedded-cluster/cluster.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { giveAddress } from '../../tools/embedded-cluster/load-balancer.ts';
import { startInNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';

const namespace = 'exposure-test';
const name = 'karmada-exposed';
const inNamespace = ['-n', namespace];
const endpoint = 'karmada.example.com';
const proxyPort = 8443;

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaAPIServer: { serviceType: 'LoadBalancer', loadBalancerClass: 'example.com/internal' },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
};

interface Kubeconfig {
  clusters: { cluster: { server: string; 'tls-server-name'?: string } }[];
}

describeCluster('external access to a control plane', () => {
  let cluster: Cluster;

  const clean = async (): Promise<void> => {
    for (const pid of controlGroups(cluster.name).processes('sniproxy')) kill(pid);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
  };

  /** Returns the administrator kubeconfig of the Secret; undefined while the Secret does not exist. */
  const adminConfig = async (): Promise<Kubeconfig | undefined> => {
    const secret = ['get', 'secret', `${name}-admin-config`, ...inNamespace, '-o'];
    const found = await tryKubectl(cluster, [...secret, 'jsonpath={.data.kubeconfig}']);
    if (found.code !== 0) return undefined;
    return load(Buffer.from(found.stdout, 'base64').toString('utf8')) as Kubeconfig;
  };

  const untilServer = (server: string): Promise<Kubeconfig> =>
    poll(`the server in the kubeconfig is ${server}`, async (seen) => {
      const config = await adminConfig();
      const found = config?.clusters[0]?.cluster.server;
      seen(String(found));
      return found === server ? config : undefined;
    });

  /** Lists the member clusters from outside any cluster, with an unchanged kubeconfig. */
  const clustersFromOutside = async (config: Kubeconfig): Promise<string> => {
    const file = join(await mkdtemp(join(tmpdir(), 'exposure-')), 'kubeconfig');
    await writeFile(file, dump(config), { mode: 0o600 });
    const command = [join(cluster.bin, 'kubectl'), '--kubeconfig', file, 'get', 'clusters'];
    return poll('the control plane responds', async (seen) => {
      const result = await attempt(command);
      seen(result.stdout + result.stderr);
      return result.code === 0 ? result.stdout + result.stderr : undefined;
    });
  };

  const ready = async (): Promise<Condition | undefined> =>
    (await getObject<Karmada>(cluster, 'karmada', name, namespace)).status?.conditions?.find(
      ({ type }) => type === 'Ready',
    );

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await clean();
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
  }, 240_000);

  it('reports a missing load balancer address in Ready when all other steps are complete', async () => {
    // Ready starts with this text only if no other step is incomplete.
    const waits = `Service ${namespace}/${name}-apiserver: waiting for an address`;
    const waiting = await poll(
      'only the load balancer address is missing',
      async (seen) => {
        const found = await ready();
        seen(JSON.stringify(found));
        return found?.message.startsWith(waits) === true ? found : undefined;
      },
      { deadlineMs: 180_000 },
    );
    expect(waiting.status).toBe('False');
    expect(waiting.message).toContain('of class example.com/internal');
    expect(await adminConfig()).toBeUndefined();
  }, 240_000);

  it('adds the load balancer address to kubeconfig and certificate without a Pod restart', async () => {
    const pods = ['get', 'pods', ...inNamespace, '-o', 'jsonpath={.items[*].metadata.uid}'];
    const before = await kubectl(cluster, pods);
    const address = await giveAddress(cluster, namespace, `${name}-apiserver`);
    await untilReady(cluster, name, namespace);
    const config = await untilServer(`https://${address}:5443`);
    expect(await clustersFromOutside(config)).toContain('No resources found');
    const service = ['get', 'service', `${name}-apiserver`, ...inNamespace, '-o'];
    expect(await kubectl(cluster, [...service, 'jsonpath={.spec.loadBalancerClass}'])).toBe(
      'example.com/internal',
    );
    expect(await kubectl(cluster, pods)).toBe(before);
  }, 240_000);

  it('serves an externalEndpoint behind a TLS passthrough proxy that routes by SNI', async () => {
    const server = { serviceType: 'ClusterIP', loadBalancerClass: null };
    const karmadaAPIServer = { ...server, externalEndpoint: `${endpoint}:${proxyPort}` };
    await patchAsPlanned(cluster, { name, namespace }, { components: { karmadaAPIServer } });
    const config = await untilServer(`https://${endpoint}:${proxyPort}`);
    await startProxy();
    const [entry] = config.clusters;
    if (entry === undefined) throw new Error('the kubeconfig contains no cluster');
    // Replaces a DNS record with the address of the proxy.
    entry.cluster.server = `https://${addressesOf(slotOf(cluster.name) ?? 0).node}:${proxyPort}`;
    const named = { ...entry.cluster, 'tls-server-name': endpoint };
    expect(
      await clustersFromOutside({ ...config, clusters: [{ ...entry, cluster: named }] }),
    ).toContain('No resources found');
    const plane = await openControlPlane(cluster, name, namespace);
    const info = ['get', 'configmap', 'cluster-info', '-n', 'kube-public', '-o'];
    expect(await plane.kubectl([...info, 'jsonpath={.data.kubeconfig}'])).toContain(
      `https://${endpoint}:${proxyPort}`,
    );
  }, 240_000);

  /** Starts a TLS passthrough proxy on the node, which selects the backend by SNI. */
  async function startProxy(): Promise<void> {
    const address = ['get', 'service', `${name}-apiserver`, ...inNamespace, '-o'];
    const service = await kubectl(cluster, [...address, 'jsonpath={.spec.clusterIP}']);
    const { node } = addressesOf(slotOf(cluster.name) ?? 0);
    const file = join(await mkdtemp(join(tmpdir(), 'sniproxy-')), 'sniproxy.conf');
    await writeFile(
      file,
      [
        'user root',
        `listener ${node}:${proxyPort} {`,
        '  proto tls',
        '}',
        'table {',
        `  ${endpoint} ${service}:5443`,
        '}',
        '',
      ].join('\n'),
    );
    const path = await readFile(nodePathFile(cluster.name), 'utf8');
    startInNode(cluster.node, 'sniproxy', ['sniproxy', '-f', '-c', file], { PATH: path });
  }
});
