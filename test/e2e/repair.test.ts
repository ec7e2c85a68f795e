import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/poll.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import {
  deleting,
  editing,
  isEditable,
  restored,
  subjectsOf,
  titleOf as titleOfObject,
  type Damage,
  type Subject,
} from '../harness/repair.ts';
import { drawn, recordCase } from '../harness/sample.ts';

const namespace = 'repair-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: { components: { etcd: { local: {} }, karmadaMetricsAdapter: { replicas: 1 } } },
};

describeCluster('what somebody does to the objects of an instance', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let subjects: Subject[];

  /** Pods that stay, with the component that each is of, and its restarts. */
  const pods = async (): Promise<readonly { component: string; pod: string }[]> => {
    const text = await kubectl(cluster, ['get', 'pods', ...inNamespace, '-o', 'json']);
    const { items } = JSON.parse(text) as { items: KubernetesObject[] };
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, status }) => {
        const { containerStatuses = [] } = (status ?? {}) as {
          containerStatuses?: { restartCount: number }[];
        };
        const restarts = containerStatuses.map(({ restartCount }) => restartCount);
        const pod = `${metadata.name} ${metadata.uid ?? ''} ${restarts.join()}`;
        return { component: metadata.labels?.['app.kubernetes.io/name'] ?? '', pod };
      });
  };

  /** Waits until damage is repaired and the instance is Ready. @returns milliseconds until the object was as before */
  async function repaired(subject: Subject, damage: Damage): Promise<number> {
    const before = await pods();
    const took = await restored(subject, damage);
    await untilReady(cluster, name, namespace);
    // Who lost a certificate starts anew with another one, and everybody without etcd.
    const { kind, metadata } = subject.object;
    const component = metadata.labels?.['app.kubernetes.io/name'] ?? '';
    if (kind === 'Secret' || component === 'etcd') return took;
    const after = new Set((await pods()).map(({ pod }) => pod));
    const touched = before.filter((item) => item.component !== component && !after.has(item.pod));
    expect([titleOfObject(subject.object), touched]).toEqual([titleOfObject(subject.object), []]);
    return took;
  }

  function tell(what: string, times: readonly number[]): void {
    const sorted = times.toSorted((one, other) => one - other);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const shown = [median, sorted.at(-1) ?? 0].map((time) => (time / 1000).toFixed(1));
    process.stderr.write(
      `${String(times.length)} objects ${what}: median ${shown.join(' s, longest ')} s\n`,
    );
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    subjects = await subjectsOf(cluster, plane, { name, namespace });
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  it('what is edited gets back the values that are the operator’s, at once', async () => {
    const times: number[] = [];
    const titleOf = ({ object }: Subject): string => `${titleOfObject(object)} is edited`;
    for (const subject of drawn('e2e/repair', subjects.filter(isEditable), 6, titleOf)) {
      const took = await repaired(subject, await editing(subject));
      recordCase('e2e/repair', titleOf(subject), took);
      times.push(took);
    }
    tell('edited', times);
  }, 3_600_000);

  it('what is deleted comes back, with the same CA', async () => {
    /** Who signs; who will sign next is made anew when the only copy of its key is deleted. */
    const authority = async (): Promise<string | undefined> => {
      const shown = String.raw`-o=jsonpath={.data.ca\.crt}`;
      const secret = ['get', 'secret', `${name}-cert`, ...inNamespace, shown];
      const bundle = Buffer.from(await kubectl(cluster, secret), 'base64').toString();
      return bundle.split('-----END CERTIFICATE-----')[0];
    };
    const before = await authority();
    const times: number[] = [];
    const titleOf = ({ object }: Subject): string => `${titleOfObject(object)} is deleted`;
    for (const subject of drawn('e2e/repair', subjects, 6, titleOf)) {
      const took = await repaired(subject, await deleting(subject));
      recordCase('e2e/repair', titleOf(subject), took);
      times.push(took);
      // Another Service has another address; its name, which clients use, can only be resolved by pods.
      if (subject.object.kind === 'Service')
        plane = await openControlPlane(cluster, name, namespace);
      expect(await authority()).toBe(before);
    }
    tell('deleted', times);
  }, 3_600_000);

  it('what others add to an object stays', async () => {
    const webhook = ['deployment', `${name}-webhook`, ...inNamespace];
    const annotation = 'example.com/owner';
    await kubectl(cluster, ['annotate', ...webhook, `${annotation}=payments`]);
    await kubectl(cluster, ['scale', ...webhook, '--replicas=2']);
    await poll('the replicas are restored', async (seen) => {
      const found = await kubectl(cluster, ['get', ...webhook, '-o', 'jsonpath={.spec.replicas}']);
      seen(found);
      return found === '1' ? true : undefined;
    });
    const shown = String.raw`jsonpath={.metadata.annotations.example\.com/owner}`;
    expect(await kubectl(cluster, ['get', ...webhook, '-o', shown])).toBe('payments');
    await untilReady(cluster, name, namespace);
  }, 240_000);

  it('an autoscaler may have the replicas, until somebody takes them back', async () => {
    const webhook = ['deployment', `${name}-webhook`, ...inNamespace];
    const untilReplicas = (wanted: string): Promise<true> =>
      poll(`there are ${wanted} replicas`, async (seen) => {
        const shown = ['-o', 'jsonpath={.spec.replicas} {.status.readyReplicas}'];
        const found = await kubectl(cluster, ['get', ...webhook, ...shown]);
        seen(found);
        return found === `${wanted} ${wanted}` ? true : undefined;
      });
    // It has no metrics, but knows that one is too few.
    const bounds = ['--min=2', '--max=3', '--cpu=80%'];
    await kubectl(cluster, ['autoscale', ...webhook, ...bounds]);
    await untilReplicas('2');
    await untilReady(cluster, name, namespace);
    // A pass over it that has something else to repair leaves the replicas alone.
    const service = ['service', `${name}-webhook`, ...inNamespace];
    await kubectl(cluster, ['delete', ...service]);
    await poll('the Service is back', async (seen) => {
      const { code, stderr } = await tryKubectl(cluster, ['get', ...service]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });
    await untilReplicas('2');
    await kubectl(cluster, ['delete', 'hpa', `${name}-webhook`, ...inNamespace]);
    await kubectl(cluster, ['scale', ...webhook, '--replicas=3']);
    await untilReplicas('1');
    await untilReady(cluster, name, namespace);
  }, 240_000);

  it('an object that lost the labels it is found by gets them back', async () => {
    const service = ['service', `${name}-webhook`, ...inNamespace];
    const label = 'app.kubernetes.io/managed-by';
    await kubectl(cluster, ['label', ...service, `${label}-`]);
    await poll('the label is restored', async (seen) => {
      const shown = String.raw`jsonpath={.metadata.labels.app\.kubernetes\.io/managed-by}`;
      const found = await kubectl(cluster, ['get', ...service, '-o', shown]);
      seen(found);
      return found === 'karmada-operator' ? true : undefined;
    });
    await untilReady(cluster, name, namespace);
  }, 120_000);
});
