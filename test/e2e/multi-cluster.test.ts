import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt, run } from '../../tools/embedded-cluster/command.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { giveAddress } from '../../tools/embedded-cluster/load-balancer.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { addressesOf, slotOf, type Addresses } from '../../tools/embedded-cluster/slot.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';

const progress = createProgress(process.stderr);
const other = `${sharedCluster}-second`;
const namespace = 'neighbours-test';
const labels = { app: 'web' };

/** A web server on port 8080 of a Pod, behind a Service of type LoadBalancer. */
const web = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace, labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'web',
          image: 'docker.io/library/busybox:1.36',
          command: ['sh', '-c', 'echo served > /tmp/index.html; exec httpd -f -p 8080 -h /tmp'],
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace },
    spec: { type: 'LoadBalancer', selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  },
];

describeCluster('multiple embedded clusters', () => {
  let cluster: Cluster;
  let second: Cluster;

  const addresses = ({ name }: Cluster): Addresses => addressesOf(slotOf(name) ?? NaN);

  /** Runs a command in the pod of a cluster until it succeeds, and returns what it prints. */
  const inPod = (from: Cluster, ...command: string[]): Promise<string> =>
    poll(`${command.join(' ')} in ${from.name}`, async (seen) => {
      const result = await tryKubectl(from, ['exec', '-n', namespace, 'web', '--', ...command]);
      seen(result.stdout + result.stderr);
      return result.code === 0 ? result.stdout : undefined;
    });

  const clean = (from: Cluster): Promise<unknown> =>
    tryKubectl(from, ['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=60s']);

  beforeAll(async () => {
    cluster = await useCluster();
    second = await up({ name: other, images: ['busybox'], dualStack: true, progress });
    for (const one of [cluster, second]) {
      await clean(one);
      await apply(one, ...web);
    }
  }, 1_800_000);

  afterAll(async () => {
    await clean(cluster);
    await down(other, progress);
  }, 120_000);

  it('reach the API servers of each other from nodes and Pods', async () => {
    for (const [from, to] of [
      [cluster, second],
      [second, cluster],
    ] as const) {
      const url = `https://${addresses(to).node}:6443/livez`;
      expect(await run(inNode(from.node, ['curl', '-sk', url]))).toBe('ok');
      await inPod(from, 'nc', '-w', '5', addresses(to).node, '6443', '-e', 'true');
    }
  }, 120_000);

  it('assign a load balancer address on demand, which Pods of other clusters reach', async () => {
    const status = ['get', 'service', 'web', '-n', namespace, '-o', 'jsonpath={.status}'];
    expect(await kubectl(second, status)).toBe('{"loadBalancer":{}}');
    const address = await giveAddress(second, namespace, 'web');
    expect(await giveAddress(second, namespace, 'web')).toBe(address);
    expect(await inPod(cluster, 'wget', '-qO-', `http://${address}`)).toBe('served\n');
    expect(await inPod(second, 'wget', '-qO-', `http://${address}`)).toBe('served\n');
    expect(await run(['curl', '-s', '--noproxy', '*', `http://${address}`])).toBe('served\n');
    await expect(giveAddress(second, 'kube-system', 'kube-dns')).rejects.toThrow(
      /kube-dns is of type ClusterIP: specify a Service of type LoadBalancer/,
    );
  }, 120_000);

  it('do not reach the Pods of each other', async () => {
    const pod = ['get', 'pod', 'web', '-n', namespace, '-o', 'jsonpath={.status.podIP}'];
    const address = await kubectl(second, pod);
    const page = `http://${address}:8080`;
    const result = await attempt(inNode(cluster.node, ['curl', '-s', '-m', '3', page]));
    expect(result.code).not.toBe(0);
  }, 60_000);

  it('do not share the directory in which each kubelet listens on a socket', async () => {
    const directory = '/var/lib/kubelet';
    const mount = ['findmnt', '--noheadings', '--output=TARGET', '--target', directory];
    for (const { node } of [cluster, second])
      expect(await run(inNode(node, mount))).toBe(`${directory}\n`);
  }, 30_000);

  it('serve IPv4 and IPv6 Services when dual stack is enabled', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'both', namespace },
      spec: {
        selector: labels,
        ipFamilyPolicy: 'RequireDualStack',
        ipFamilies: ['IPv6', 'IPv4'],
        ports: [{ port: 80, targetPort: 8080 }],
      },
    };
    await apply(second, service);
    const ips = ['get', 'service', 'both', '-n', namespace, '-o', 'jsonpath={.spec.clusterIPs[*]}'];
    const [sixth = '', fourth = ''] = (await kubectl(second, ips)).split(' ');
    expect(sixth).toMatch(/^fd00:/);
    expect(await inPod(second, 'wget', '-qO-', `http://[${sixth}]`)).toBe('served\n');
    expect(await inPod(second, 'wget', '-qO-', `http://${fourth}`)).toBe('served\n');
    await expect(up({ name: cluster.name, images: [], dualStack: true, progress })).rejects.toThrow(
      /is running without IPv6: remove it first/,
    );
  }, 120_000);

  it('remove the network link when a cluster is removed and restore it when the cluster is back', async () => {
    const links = (): Promise<string> => run(inNode(cluster.node, ['ip', '-brief', 'link']));
    const link = `neighbour${String(addresses(second).slot)}`;
    expect(await links()).toContain(link);
    await down(other, progress);
    expect(await links()).not.toContain(link);
    second = await up({ name: other, images: ['busybox'], progress });
    const url = `https://${addresses(second).node}:6443/livez`;
    expect(await run(inNode(cluster.node, ['curl', '-sk', url]))).toBe('ok');
  }, 180_000);
});
