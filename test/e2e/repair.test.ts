/**
 * @size large
 * @sample medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
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
import { drawn } from '../harness/sample.ts';

const namespace = 'repair-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: { components: { etcd: { local: {} }, karmadaMetricsAdapter: { replicas: 1 } } },
};

describeCluster('drift repair', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let subjects: Subject[];

  /** Returns the Pods that are not terminating, with component, uid and restarts. */
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

  /** Causes drift and waits until it is repaired and the Karmada is Ready. @returns repair time in milliseconds */
  async function repaired(subject: Subject, damage: Damage): Promise<number> {
    const before = await pods();
    const took = await restored(subject, damage);
    await untilReady(cluster, name, namespace);
    // A component restarts with a reissued certificate, and all components restart without etcd.
    const { kind, metadata } = subject.object;
    const component = metadata.labels?.['app.kubernetes.io/name'] ?? '';
    if (kind === 'Secret' || component === 'etcd') return took;
    const after = new Set((await pods()).map(({ pod }) => pod));
    const touched = before.filter((item) => item.component !== component && !after.has(item.pod));
    expect([titleOfObject(subject.object), touched]).toEqual([titleOfObject(subject.object), []]);
    return took;
  }

  function report(what: string, times: readonly number[]): void {
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
    // Subjects use the address of the Service that exists at the time.
    const present: Pick<ControlPlane, 'kubectl'> = { kubectl: (args) => plane.kubectl(args) };
    subjects = await subjectsOf(cluster, present, { name, namespace });
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  it('restores the values of the operator when an object is edited', async () => {
    const times: number[] = [];
    const titleOf = ({ object }: Subject): string => `${titleOfObject(object)} is edited`;
    for (const subject of drawn(subjects.filter(isEditable), 6, titleOf)) {
      const took = await repaired(subject, await editing(subject));
      times.push(took);
    }
    report('edited', times);
  }, 3_600_000);

  it('recreates deleted objects with the same CA', async () => {
    /** Returns the signing CA. The next CA is recreated when the only copy of its key is deleted. */
    const signingCA = async (): Promise<string | undefined> => {
      const shown = String.raw`-o=jsonpath={.data.ca\.crt}`;
      const secret = ['get', 'secret', `${name}-cert`, ...inNamespace, shown];
      const bundle = Buffer.from(await kubectl(cluster, secret), 'base64').toString();
      return bundle.split('-----END CERTIFICATE-----')[0];
    };
    const before = await signingCA();
    const times: number[] = [];
    const titleOf = ({ object }: Subject): string => `${titleOfObject(object)} is deleted`;
    for (const subject of drawn(subjects, 6, titleOf)) {
      const took = await repaired(subject, await deleting(subject));
      times.push(took);
      // A recreated Service has another ClusterIP. Only Pods can resolve its DNS name.
      if (subject.object.kind === 'Service')
        plane = await openControlPlane(cluster, name, namespace);
      expect(await signingCA()).toBe(before);
    }
    report('deleted', times);
  }, 3_600_000);

  it('keeps annotations of other owners when it repairs an object', async () => {
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

  it('leaves spec.replicas to an autoscaler until a user scales the Deployment', async () => {
    const webhook = ['deployment', `${name}-webhook`, ...inNamespace];
    const untilReplicas = (expected: string): Promise<true> =>
      poll(`there are ${expected} replicas`, async (seen) => {
        const shown = ['-o', 'jsonpath={.spec.replicas} {.status.readyReplicas}'];
        const found = await kubectl(cluster, ['get', ...webhook, ...shown]);
        seen(found);
        return found === `${expected} ${expected}` ? true : undefined;
      });
    // The autoscaler has no metrics, but enforces its minimum.
    const bounds = ['--min=2', '--max=3', '--cpu=80%'];
    await kubectl(cluster, ['autoscale', ...webhook, ...bounds]);
    await untilReplicas('2');
    await untilReady(cluster, name, namespace);
    // A reconcile that repairs another object must not change the replicas.
    const service = ['service', `${name}-webhook`, ...inNamespace];
    await kubectl(cluster, ['delete', ...service]);
    await poll('the Service exists again', async (seen) => {
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

  it('restores a removed owner label of an object', async () => {
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
