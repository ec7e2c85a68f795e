import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/poll.ts';
import { apply, describeCluster, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';
import { sampled } from '../harness/sample.ts';

const namespace = 'repair-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const ours = [
  '-l',
  `app.kubernetes.io/managed-by=karmada-operator,app.kubernetes.io/instance=${name}`,
];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: { components: { etcd: { local: {} }, karmadaMetricsAdapter: { replicas: 1 } } },
};

const HOST_KINDS = 'deployments,statefulsets,services,secrets';
const INSIDE_KINDS =
  'namespaces,customresourcedefinitions,services,clusterroles,clusterrolebindings,roles,rolebindings,configmaps,' +
  'mutatingwebhookconfigurations,validatingwebhookconfigurations,apiservices';

/** An object of the instance, and what its API is asked with. */
interface Subject {
  object: KubernetesObject;
  ask(args: readonly string[]): Promise<string>;
}

interface Edit {
  path: string;
  value: unknown;
}

const path = (...parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The first key of an object's data. */
function firstKey(object: KubernetesObject): string {
  const { data = {} } = object as unknown as { data?: Record<string, string> };
  return path('data', Object.keys(data).sort()[0] ?? '');
}

const POD_OWNER: Edit = { path: '/spec/revisionHistoryLimit', value: 9 };
const RULES: Edit = { path: '/rules', value: [] };
const SUBJECTS: Edit = { path: '/subjects', value: [] };
const TIMEOUT: Edit = { path: '/webhooks/0/timeoutSeconds', value: 1 };

/** By kind, something that the operator wrote, with a value that it never has. */
const EDITS: Readonly<Record<string, (object: KubernetesObject) => Edit>> = {
  Deployment: () => POD_OWNER,
  StatefulSet: () => POD_OWNER,
  Service: ({ spec }) =>
    (spec as { type?: string }).type === 'ExternalName'
      ? { path: '/spec/externalName', value: 'elsewhere.example.com' }
      : { path: '/spec/ports/0/targetPort', value: 1 },
  Secret: (object) => ({
    path: firstKey(object),
    value: Buffer.from('edited').toString('base64'),
  }),
  ConfigMap: (object) => ({ path: firstKey(object), value: 'edited' }),
  CustomResourceDefinition: () => ({
    path: '/spec/versions/0/additionalPrinterColumns',
    value: [],
  }),
  ClusterRole: () => RULES,
  Role: () => RULES,
  ClusterRoleBinding: () => SUBJECTS,
  RoleBinding: () => SUBJECTS,
  MutatingWebhookConfiguration: () => TIMEOUT,
  ValidatingWebhookConfiguration: () => TIMEOUT,
  APIService: () => ({ path: '/spec/groupPriorityMinimum', value: 1 }),
};

function valueAt(object: unknown, pointer: string): unknown {
  const keys = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/'));
  return keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    object,
  );
}

const titleOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;

describeCluster('what somebody does to the objects of an instance', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let subjects: Subject[];

  const list = async (ask: Subject['ask'], kinds: string, where: readonly string[]) => {
    const found = JSON.parse(await ask(['get', kinds, ...where, ...ours, '-o', 'json'])) as {
      items: KubernetesObject[];
    };
    return found.items.map((object) => ({ object, ask }));
  };

  const addressed = ({ kind, apiVersion, metadata }: KubernetesObject): string[] => {
    const [version = '', group] = apiVersion.split('/').reverse();
    const type = group === undefined ? kind : `${kind}.${version}.${group}`;
    const where = metadata.namespace === undefined ? [] : ['-n', metadata.namespace];
    return [type.toLowerCase(), metadata.name, ...where];
  };

  const current = async ({ object, ask }: Subject): Promise<KubernetesObject | undefined> => {
    const args = ['get', ...addressed(object), '--ignore-not-found', '-o', 'json'];
    const text = await ask(args);
    return text === '' ? undefined : (JSON.parse(text) as KubernetesObject);
  };

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

  /** Does something to an object and waits until it is as it was. @returns milliseconds that took */
  async function restored(
    subject: Subject,
    act: () => Promise<unknown>,
    isRestored: (now: KubernetesObject) => boolean,
  ): Promise<number> {
    const before = await pods();
    await act();
    const began = performance.now();
    const took = await poll(
      `${titleOf(subject.object)} is restored`,
      async (seen) => {
        const now = await current(subject);
        seen(JSON.stringify(now?.metadata));
        return now !== undefined && isRestored(now) ? performance.now() - began : undefined;
      },
      { deadlineMs: 90_000, intervalMs: 100 },
    );
    await untilReady(cluster, name, namespace);
    // Who lost a certificate starts anew with another one, and everybody without etcd.
    const { kind, metadata } = subject.object;
    const component = metadata.labels?.['app.kubernetes.io/name'] ?? '';
    if (kind === 'Secret' || component === 'etcd') return took;
    const after = new Set((await pods()).map(({ pod }) => pod));
    const touched = before.filter((item) => item.component !== component && !after.has(item.pod));
    expect([titleOf(subject.object), touched]).toEqual([titleOf(subject.object), []]);
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
    subjects = [
      ...(await list((args) => kubectl(cluster, args), HOST_KINDS, inNamespace)),
      ...(await list((args) => plane.kubectl(args), INSIDE_KINDS, ['-A'])),
    ];
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  it('5.1 what is edited gets back the values that are the operator’s, at once', async () => {
    const edits = subjects.flatMap((subject) => {
      const edit = EDITS[subject.object.kind]?.(subject.object);
      return edit === undefined ? [] : [{ subject, edit }];
    });
    const times: number[] = [];
    for (const { subject, edit } of sampled(edits, 12)) {
      const { object, ask } = subject;
      const was = await current(subject);
      const wanted = JSON.stringify(valueAt(was, edit.path));
      const patch = JSON.stringify([{ op: 'add', ...edit }]);
      const took = await restored(
        subject,
        () => ask(['patch', ...addressed(object), '--type=json', '-p', patch]),
        (now) => {
          const value = JSON.stringify(valueAt(now, edit.path));
          // A certificate is made anew, since nobody else has its key.
          return object.kind === 'Secret'
            ? value !== undefined && value !== JSON.stringify(edit.value)
            : value === wanted;
        },
      );
      times.push(took);
    }
    tell('edited', times);
  }, 3_600_000);

  it('5.1 what is deleted comes back, with the same CA', async () => {
    /** Who signs; who will sign next is made anew when the only copy of its key is deleted. */
    const authority = async (): Promise<string | undefined> => {
      const shown = String.raw`-o=jsonpath={.data.ca\.crt}`;
      const secret = ['get', 'secret', `${name}-cert`, ...inNamespace, shown];
      const bundle = Buffer.from(await kubectl(cluster, secret), 'base64').toString();
      return bundle.split('-----END CERTIFICATE-----')[0];
    };
    const before = await authority();
    const times: number[] = [];
    for (const subject of sampled(subjects, 12)) {
      const { object, ask } = subject;
      const uid = (await current(subject))?.metadata.uid;
      const took = await restored(
        subject,
        () => ask(['delete', ...addressed(object), '--wait=false']),
        (now) => now.metadata.uid !== uid,
      );
      times.push(took);
      // Another Service has another address; its name, which clients use, can only be resolved by pods.
      if (object.kind === 'Service') plane = await openControlPlane(cluster, name, namespace);
      expect(await authority()).toBe(before);
    }
    tell('deleted', times);
  }, 3_600_000);

  it('5.1 what others add to an object stays', async () => {
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

  it('5.1 an object that lost the labels it is found by gets them back', async () => {
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
