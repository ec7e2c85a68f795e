import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { attempt, run } from '../cluster/command.ts';
import { down } from '../cluster/down.ts';
import { giveAddress } from '../cluster/load-balancer.ts';
import { inNode } from '../cluster/node.ts';
import { poll } from '../cluster/poll.ts';
import { createProgress } from '../cluster/progress.ts';
import { addressesOf, slotOf, type Addresses } from '../cluster/slot.ts';
import { up } from '../cluster/up.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { sharedCluster } from '../harness/shared.ts';

const progress = createProgress(process.stderr);
const other = `${sharedCluster}-beside`;
const namespace = 'neighbours-test';
const labels = { app: 'web' };

/** A page on port 8080 of a pod, behind a Service that asks for a load balancer. */
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

describeCluster('clusters beside each other', () => {
  let cluster: Cluster;
  let beside: Cluster;

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
    beside = await up({ name: other, images: ['busybox'], dualStack: true, progress });
    for (const one of [cluster, beside]) {
      await clean(one);
      await apply(one, ...web);
    }
  }, 1_800_000);

  afterAll(async () => {
    await clean(cluster);
    await down(other, progress);
  }, 120_000);

  it('reach each other by their API servers, from nodes and from pods', async () => {
    for (const [from, to] of [
      [cluster, beside],
      [beside, cluster],
    ] as const) {
      const url = `https://${addresses(to).node}:6443/livez`;
      expect(await run(inNode(from.node, ['curl', '-sk', url]))).toBe('ok');
      await inPod(from, 'nc', '-w', '5', addresses(to).node, '6443', '-e', 'true');
    }
  }, 120_000);

  it('give a Service a load balancer on demand, which the neighbour reaches too', async () => {
    const status = ['get', 'service', 'web', '-n', namespace, '-o', 'jsonpath={.status}'];
    expect(await kubectl(beside, status)).toBe('{"loadBalancer":{}}');
    const address = await giveAddress(beside, namespace, 'web');
    expect(await giveAddress(beside, namespace, 'web')).toBe(address);
    expect(await inPod(cluster, 'wget', '-qO-', `http://${address}`)).toBe('served\n');
    expect(await inPod(beside, 'wget', '-qO-', `http://${address}`)).toBe('served\n');
    expect(await run(['curl', '-s', '--noproxy', '*', `http://${address}`])).toBe('served\n');
    await expect(giveAddress(beside, 'kube-system', 'kube-dns')).rejects.toThrow(
      /kube-dns is of type ClusterIP: name one of type LoadBalancer/,
    );
  }, 120_000);

  it("do not reach each other's pods", async () => {
    const pod = ['get', 'pod', 'web', '-n', namespace, '-o', 'jsonpath={.status.podIP}'];
    const address = await kubectl(beside, pod);
    const page = `http://${address}:8080`;
    const result = await attempt(inNode(cluster.node, ['curl', '-s', '-m', '3', page]));
    expect(result.code).not.toBe(0);
  }, 60_000);

  it('have pods and Services of both families when asked to', async () => {
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
    await apply(beside, service);
    const ips = ['get', 'service', 'both', '-n', namespace, '-o', 'jsonpath={.spec.clusterIPs[*]}'];
    const [sixth = '', fourth = ''] = (await kubectl(beside, ips)).split(' ');
    expect(sixth).toMatch(/^fd00:/);
    expect(await inPod(beside, 'wget', '-qO-', `http://[${sixth}]`)).toBe('served\n');
    expect(await inPod(beside, 'wget', '-qO-', `http://${fourth}`)).toBe('served\n');
    await expect(up({ name: cluster.name, images: [], dualStack: true, progress })).rejects.toThrow(
      /is up without IPv6: take it down first/,
    );
  }, 120_000);

  it('lose the link when one goes, and have it again when it is back', async () => {
    const links = (): Promise<string> => run(inNode(cluster.node, ['ip', '-brief', 'link']));
    const link = `neighbour${String(addresses(beside).slot)}`;
    expect(await links()).toContain(link);
    await down(other, progress);
    expect(await links()).not.toContain(link);
    beside = await up({ name: other, images: ['busybox'], progress });
    const url = `https://${addresses(beside).node}:6443/livez`;
    expect(await run(inNode(cluster.node, ['curl', '-sk', url]))).toBe('ok');
  }, 180_000);
});
