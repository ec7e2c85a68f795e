import { setTimeout as delay } from 'node:timers/promises';
import type { Components, Karmada } from '../../../src/api/karmada.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from '../../../src/api/images.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import {
  etcdTags,
  karmadaReleases,
  kubernetesReleases,
} from '../../../tools/embedded-cluster/releases.ts';
import { openControlPlane } from '../../harness/control-plane.ts';
import { watchReadiness, type Readings } from '../../harness/readiness.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { underTraffic } from '../../harness/traffic/traffic.ts';
import type { TrafficReport } from '../../harness/traffic/report.ts';
import { core, karmadaOf } from '../install/instance.ts';
import { startOperator, stopOperator, type Operator } from '../install/operators.ts';
import { rolledOut } from '../install/readiness.ts';
import { remove, type Session } from '../install/session.ts';

/** etcd with one member keeps its version, because it cannot serve during a restart. With three it is upgraded too. */
export const setups = ['one member', 'three members'] as const;
export type Setup = (typeof setups)[number];

/** One change, and the requests of clients during it. */
export interface Phase {
  readonly operator: Operator['label'];
  readonly setup: Setup;
  readonly what: string;
  /** Time until the operator reported Ready and all workloads were rolled out. */
  readonly seconds: number;
  readonly finished: boolean;
  readonly readings: Readings;
  readonly traffic: TrafficReport;
}

export const DEADLINE_MS = 240_000;
/** Time for which clients continue after a change. */
export const AFTERWARDS_MS = 10_000;

type Release = keyof typeof kubernetesReleases;

/** Returns etcd settings with three members, each with a PVC. */
function threeMembers(release: Release): object {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const imageTag = etcdTags[release];
  const volumeData = { volumeClaim: { spec } };
  return { local: { ...core.etcd?.local, imageTag, replicas: 3, volumeData } };
}

/** Returns the components of a core control plane with the images of a release. */
function componentsOf(setup: Setup, release: Release): Components {
  const tagOf = (key: string): string | undefined => {
    if ((KARMADA_COMPONENTS as readonly string[]).includes(key)) return karmadaReleases[release];
    if ((KUBERNETES_COMPONENTS as readonly string[]).includes(key))
      return kubernetesReleases[release];
    return undefined;
  };
  const entries = Object.entries(core).map(([key, settings]) => {
    const imageTag = tagOf(key);
    return [key, { ...(settings as object), ...(imageTag !== undefined && { imageTag }) }];
  });
  const etcd = setup === 'three members' ? { etcd: threeMembers(release) } : {};
  return { ...Object.fromEntries(entries), ...etcd } as Components;
}

const instance = { namespace: 'bench-upgrade', name: 'demo' };

type Workloads = readonly KubernetesObject[];

/** Checks that the workloads contain a change. An operator may report Ready before it has started the change. */
type TakenUp = (workloads: Workloads) => boolean;

/** Returns whether all workloads of a namespace are rolled out and contain a change, and the names of those that are not rolled out. */
export async function rolloutIn(
  { client }: Session,
  namespace: string,
  takenUp: TakenUp = () => true,
): Promise<{ readonly isDone: boolean; readonly rolling: string }> {
  const lists = await Promise.all(
    [resources.Deployment, resources.StatefulSet].map((type) => client.list(type, { namespace })),
  );
  const workloads = lists.flatMap(({ items }) => items);
  const rolling = workloads.filter((item) => !rolledOut(item));
  return {
    isDone: rolling.length === 0 && takenUp(workloads),
    rolling: rolling.map(({ metadata }) => metadata.name).join(),
  };
}

/** Waits until the operator reports Ready, all workloads are rolled out and contain the change, at the same time. */
async function settled(session: Session, takenUp?: TakenUp): Promise<void> {
  const { namespace, name } = instance;
  await poll(
    'the control plane is ready',
    async (seen) => {
      const key = { namespace, name };
      const karmada = (await session.client.get(karmadas, key)) as unknown as Karmada;
      const { isDone, rolling } = await rolloutIn(session, namespace, takenUp);
      seen(`${rolling} ${JSON.stringify(karmada.status)}`);
      return saysReady(karmada) && isDone ? true : undefined;
    },
    { deadlineMs: DEADLINE_MS, intervalMs: 250 },
  );
}

interface Template {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

const templateOf = ({ spec }: KubernetesObject): Template =>
  (spec as { template: Template }).template;

/** Returns true if no workload has an image of the previous releases. */
export const hasNewImages: TakenUp = (workloads) =>
  workloads.every((workload) =>
    templateOf(workload).spec.containers.every(
      ({ image }) =>
        !image.endsWith(`:${karmadaReleases.previous}`) &&
        !image.endsWith(`:${kubernetesReleases.previous}`),
    ),
  );

const DAY = 'example.com/day';

const hasLabel: TakenUp = (workloads) =>
  workloads.some((workload) => templateOf(workload).metadata.labels?.[DAY] === 'two');

const patch = ({ client }: Session, components: object): Promise<unknown> =>
  client.patch(karmadas, instance, { spec: { components } });

/** Kills the Pod of an operator without a grace period. Its Deployment starts another one. */
async function kill({ client }: Session, { namespace }: Operator): Promise<void> {
  const { items } = await client.list(resources.Pod, { namespace });
  for (const { metadata } of items)
    await client.delete(
      resources.Pod,
      { namespace, name: metadata.name },
      { gracePeriodSeconds: 0 },
    );
}

/** A change of a control plane: its name, how it starts, and when an operator has picked it up. */
type Change = readonly [
  string,
  (session: Session, operator: Operator) => Promise<unknown>,
  TakenUp?,
];

const arrow = ({ previous, current }: { previous: string; current: string }): string =>
  `${previous} to ${current}`;

const UPGRADE = `Karmada ${arrow(karmadaReleases)}, Kubernetes ${arrow(kubernetesReleases)}`;

/** The upgrade of a control plane with one etcd member. */
export const ONLY_UPGRADE: readonly Change[] = [
  [
    UPGRADE,
    (session: Session): Promise<unknown> => patch(session, componentsOf('one member', 'current')),
    hasNewImages,
  ],
];

const ONE_MEMBER: readonly Change[] = [
  ['nothing', () => delay(15_000)],
  ...ONLY_UPGRADE,
  [
    'another SAN in the certificate of karmada-apiserver',
    (session) => patch(session, { karmadaAPIServer: { certSANs: ['karmada.example.com'] } }),
  ],
  [
    'the operator killed during a rollout',
    async (session, operator) => {
      await patch(session, { karmadaAPIServer: { labels: { [DAY]: 'two' } } });
      await delay(2_000);
      await kill(session, operator);
    },
    hasLabel,
  ],
];

const THREE_MEMBERS: readonly Change[] = [
  [
    `${UPGRADE}, etcd ${arrow(etcdTags)}`,
    (session) => patch(session, componentsOf('three members', 'current')),
    hasNewImages,
  ],
];

async function measureChange(
  session: Session,
  operator: Operator,
  [what, change, takenUp]: Change,
): Promise<Omit<Phase, 'setup'>> {
  const { cluster } = session;
  const { namespace, name } = instance;
  const plane = await openControlPlane(cluster, name, namespace);
  const watch = watchReadiness(cluster, { namespace, name });
  let [seconds, finished] = [0, false];
  const traffic = await underTraffic(cluster, plane, async () => {
    const began = performance.now();
    await change(session, operator);
    finished = await settled(session, takenUp).then(
      () => true,
      () => false,
    );
    seconds = (performance.now() - began) / 1000;
    await delay(AFTERWARDS_MS);
  }).finally(() => void watch.end());
  const readings = await watch.end();
  return { operator: operator.label, what, seconds, finished, readings, traffic };
}

/**
 * Installs the previous release with an operator, applies each change under load, and deletes the control plane.
 * @param changes defaults to all changes of the setup
 */
export async function* measureUpgrade(
  session: Session,
  operator: Operator,
  setup: Setup,
  changes = setup === 'one member' ? ONE_MEMBER : THREE_MEMBERS,
): AsyncGenerator<Phase> {
  const { namespace } = instance;
  await startOperator(session, operator);
  const metadata = { name: namespace };
  await session.client.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata },
    { fieldManager: 'bench' },
  );
  const components = componentsOf(setup, 'previous');
  await session.client.create(karmadaOf({ ...instance, components }));
  await settled(session);
  for (const change of changes)
    yield { ...(await measureChange(session, operator, change)), setup };
  await remove(session, karmadas, instance);
  await stopOperator(session, operator);
  await remove(session, resources.Namespace, metadata);
}
