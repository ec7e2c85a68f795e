import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../tools/embedded-cluster/audit.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { apply, quiet, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { restartOperator } from '../harness/operator-pod.ts';
import {
  auditedApiServer,
  auditPolicy,
  hostRequests,
  insideRequests,
  sortedWrites,
  tally,
  writesOf,
} from '../harness/requests.ts';

const namespace = 'writes-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const ours = ['-l', 'app.kubernetes.io/managed-by=karmada-operator'];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaAPIServer: auditedApiServer,
      karmadaMetricsAdapter: { replicas: 1 },
    },
  },
};

const hostKinds = 'deployments,statefulsets,services,secrets,poddisruptionbudgets';
const insideKinds =
  'namespaces,customresourcedefinitions,services,clusterroles,clusterrolebindings,roles,rolebindings,configmaps,' +
  'mutatingwebhookconfigurations,validatingwebhookconfigurations,apiservices,flowschemas';

/** Splits the output of kubectl into its lines. */
const lines = (text: string): string[] => text.split('\n').filter(Boolean);

const twice = (events: readonly AuditEvent[]): string[] =>
  tally(events).filter((entry) => !entry.startsWith('1 '));

interface Requests {
  host: AuditEvent[];
  inside: AuditEvent[];
}

describeCluster('requests of the operator to API servers', () => {
  let cluster: Cluster;
  let plane: ControlPlane;

  const requests = async (since: number): Promise<Requests> => ({
    host: await hostRequests(cluster, since),
    inside: await insideRequests(cluster, { name, namespace }, since),
  });

  const pods = (): Promise<string> =>
    kubectl(cluster, [
      'get',
      'pods',
      ...inNamespace,
      '-o',
      'jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\\n"}{end}',
    ]);

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(cluster);
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { ...auditPolicy, metadata: { ...auditPolicy.metadata, namespace } },
    );
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  it('writes each object once and few statuses and Events during an installation', async () => {
    const since = Date.now();
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    await quiet(5_000);
    const { host, inside } = await requests(since);
    const outer = sortedWrites(host);
    const inner = sortedWrites(inside);
    const made = lines(
      await kubectl(cluster, ['get', hostKinds, ...inNamespace, ...ours, '-o', 'name']),
    );
    const madeInside = lines(
      await plane.kubectl(['get', insideKinds, '-A', ...ours, '-o', 'name']),
    );
    // The operator writes the etcd record before it creates the etcd and once it responds.
    // It seals the template of the StatefulSet when the Pods exist.
    const recorded = `patch secrets ${namespace}/${name}-ca-backup`;
    const sealed = `patch statefulsets.apps ${namespace}/${name}-etcd`;
    const isOfEtcdCreation = (event: AuditEvent): boolean =>
      tally([event]).some((entry) => entry === `1 ${recorded}` || entry === `1 ${sealed}`);
    expect(tally(outer.objects.filter(isOfEtcdCreation)).sort()).toEqual([
      `2 ${recorded}`,
      `2 ${sealed}`,
    ]);
    const others = outer.objects.filter((event) => !isOfEtcdCreation(event));
    // The Karmada is written once too, with its defaults and its finalizer. The StatefulSet is counted above.
    expect(twice([...others, ...inner.objects])).toEqual([]);
    expect(others.length).toBeLessThanOrEqual(made.length);
    expect(inner.objects.length).toBeLessThanOrEqual(madeInside.length);
    expect(madeInside.length).toBeGreaterThan(30);
    expect(inner.objects.length).toBeGreaterThan(30);
    expect(outer.statuses.length).toBeLessThanOrEqual(15);
    expect(outer.events.length).toBeLessThanOrEqual(15);
    expect([...inner.statuses, ...inner.events]).toEqual([]);
    // A rejected write costs a request too.
    expect(tally(writesOf([...host, ...inside]).filter(({ code }) => code >= 400))).toEqual([]);
    // An informer lists once. The operator polls with lists only the Events of objects that are not ready for some seconds.
    const isOfEvents = ({ resource }: AuditEvent): boolean => resource === 'events.events.k8s.io';
    const lists = tally(
      [...host, ...inside].filter((event) => event.verb === 'list' && !isOfEvents(event)),
    );
    expect(lists.filter((entry) => Number.parseInt(entry) > 2)).toEqual([]);
  }, 300_000);

  it('writes and lists nothing during one minute in the steady state', async () => {
    const since = Date.now();
    await quiet(60_000);
    const { host, inside } = await requests(since);
    const all = [...host, ...inside];
    expect(tally(writesOf(all))).toEqual([]);
    expect(tally(all.filter(({ verb }) => verb === 'list'))).toEqual([]);
  }, 120_000);

  it('writes nothing and restarts no Pod after an operator restart', async () => {
    const before = await pods();
    const since = Date.now();
    await restartOperator(cluster);
    // Longer than the lease of the old leader, the first lists of the informers and one certificate check.
    await quiet(30_000);
    const { host, inside } = await requests(since);
    expect(inside.length).toBeGreaterThan(0);
    expect(tally(writesOf([...host, ...inside]))).toEqual([]);
    expect(await pods()).toBe(before);
  }, 240_000);
});
