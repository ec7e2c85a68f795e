import { setTimeout as delay } from 'node:timers/promises';
import type { Components, Karmada } from '../../../src/api/karmada.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from '../../../src/api/images.ts';
import { karmadas } from '../../../src/hosts/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { poll } from '../../cluster/poll.ts';
import { etcdTags, karmadaReleases, kubernetesReleases } from '../../cluster/releases.ts';
import { openControlPlane } from '../../harness/control-plane.ts';
import { watchReadiness, type Readings } from '../../harness/readiness.ts';
import { saysReady } from '../../harness/says-ready.ts';
import { underTraffic } from '../../harness/traffic/traffic.ts';
import type { TrafficReport } from '../../harness/traffic/report.ts';
import { core, karmadaOf } from '../install/instance.ts';
import { startOperator, stopOperator, type Operator } from '../install/operators.ts';
import { rolledOut } from '../install/readiness.ts';
import { remove, type Session } from '../install/session.ts';

/** With one member etcd keeps its version, since it cannot serve while it restarts; with three it moves too. */
export const setups = ['one member', 'three members'] as const;
export type Setup = (typeof setups)[number];

/** One change, and what clients noticed of it. */
export interface Phase {
  readonly operator: Operator['label'];
  readonly setup: Setup;
  readonly what: string;
  /** Until the operator said Ready and all workloads were rolled out. */
  readonly seconds: number;
  readonly finished: boolean;
  readonly readings: Readings;
  readonly traffic: TrafficReport;
}

const DEADLINE_MS = 240_000;
/** Clients go on for so long after a change. */
const AFTERWARDS_MS = 10_000;

type Release = keyof typeof karmadaReleases;

/** Three members, each with a volume that survives it. */
function threeMembers(release: Release): object {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const imageTag = etcdTags[release];
  const volumeData = { volumeClaim: { spec } };
  return { local: { ...core.etcd?.local, imageTag, replicas: 3, volumeData } };
}

/** The components of a core instance with the images of a release. */
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

/** Whether a change is in what runs: an operator may say for a while that all is as it should be. */
type TakenUp = (workloads: Workloads) => boolean;

/** Waits until the operator says Ready, every workload is rolled out, and the change is in them, at once. */
async function settled({ client }: Session, takenUp: TakenUp = () => true): Promise<void> {
  const { namespace, name } = instance;
  await poll(
    'the instance is ready',
    async (seen) => {
      const karmada = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
      const lists = await Promise.all(
        [resources.Deployment, resources.StatefulSet].map((type) =>
          client.list(type, { namespace }),
        ),
      );
      const workloads = lists.flatMap(({ items }) => items);
      const rolling = workloads.filter((item) => !rolledOut(item));
      seen(
        `${rolling.map(({ metadata }) => metadata.name).join()} ${JSON.stringify(karmada.status)}`,
      );
      const done = saysReady(karmada) && rolling.length === 0 && takenUp(workloads);
      return done ? true : undefined;
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

/** No workload has an image of the older releases any more. */
const hasNewImages: TakenUp = (workloads) =>
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

/** Ends the process of an operator at once; its Deployment starts another. */
async function kill({ client }: Session, { namespace }: Operator): Promise<void> {
  const { items } = await client.list(resources.Pod, { namespace });
  for (const { metadata } of items)
    await client.delete(
      resources.Pod,
      { namespace, name: metadata.name },
      { gracePeriodSeconds: 0 },
    );
}

type Change = readonly [
  string,
  (session: Session, operator: Operator) => Promise<unknown>,
  TakenUp?,
];

const arrow = ({ previous, current }: { previous: string; current: string }): string =>
  `${previous} to ${current}`;

const UPGRADE = `Karmada ${arrow(karmadaReleases)}, Kubernetes ${arrow(kubernetesReleases)}`;

const ONE_MEMBER: readonly Change[] = [
  ['nothing', () => delay(15_000)],
  [UPGRADE, (session) => patch(session, componentsOf('one member', 'current')), hasNewImages],
  [
    'another name in the certificate of karmada-apiserver',
    (session) => patch(session, { karmadaAPIServer: { certSANs: ['karmada.example.com'] } }),
  ],
  [
    'the operator killed in mid-rollout',
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
  }).finally(() => watch.end());
  const readings = await watch.end();
  return { operator: operator.label, what, seconds, finished, readings, traffic };
}

/** Installs the older release with an operator, makes each change while clients call, and deletes the instance. */
export async function* measureUpgrade(
  session: Session,
  operator: Operator,
  setup: Setup,
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
  for (const change of setup === 'one member' ? ONE_MEMBER : THREE_MEMBERS)
    yield { ...(await measureChange(session, operator, change)), setup };
  await remove(session, karmadas, instance);
  await stopOperator(session, operator);
  await remove(session, resources.Namespace, metadata);
}
