/** Components of a control plane of stubs leave the group `system:masters`. The clock goes on faster than time. */
import { X509Certificate } from 'node:crypto';
import { COMPONENTS_GROUP, MASTERS_GROUP } from '../../../src/api/identities.ts';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { instanceName } from '../../../src/api/naming.ts';
import { SWITCH_ORDER } from '../../../src/features/identities/decide-identities.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { identity, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ObjectKey } from '../../../src/kubernetes/objects/resources.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { advance, stubNow } from '../clock.ts';
import type { OpenWatch } from '../api/stub-api.ts';
import { objectsOf } from '../end-state.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { inside } from './component-roles.ts';
import { untilQuiet } from './run-scenario.ts';
import { install, NAMESPACE as namespace, type Step } from './scenario.ts';

const PREFIX = 'operator.karmada.io';
const IDENTITIES = `${PREFIX}/component-identities`;
const TICK = `${PREFIX}/test-tick`;
const KEY = { namespace, name };
/** Step of the clock: longer than the 10 minutes that a component is on trial. */
const TICK_MS = 610_000;
/** Least real time between two phases of a step, in which the operator stores an answer, or reconciles. */
const BETWEEN_MS = 1_000;

/** A control plane as an earlier operator has left it: all components are in the group. */
export const inMasters: Step = install(
  {
    components: {
      etcd: { local: {} },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaSearch: { replicas: 1 },
      karmadaDescheduler: { replicas: 1 },
    },
  },
  { [IDENTITIES]: 'Masters' },
);

/** `own`, or the group that the certificate of a component names, by component; `none` without a certificate. */
async function identitiesIn({ client }: StubCluster): Promise<Readonly<Record<string, string>>> {
  const entries = SWITCH_ORDER.map(async (component) => {
    const secret = await client.find(resources.Secret, { namespace, name: secretOf(component) });
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    const certificate = data['tls.crt'];
    if (certificate === undefined) return [component, 'none'] as const;
    const { subject } = new X509Certificate(Buffer.from(certificate, 'base64'));
    const groups = [COMPONENTS_GROUP, MASTERS_GROUP];
    const group = groups.find((one) => subject.split('\n').includes(`O=${one}`)) ?? subject;
    return [component, group === COMPONENTS_GROUP ? 'own' : group] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

export const deployment = (component: string): ObjectKey => ({
  namespace,
  name: instanceName(name, component),
});
export const secretOf = (component: string): string => instanceName(name, `${component}-config`);

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly volumes: readonly { readonly secret?: { secretName?: string } }[] };
    };
  };
}

async function unpreparedIn(cluster: StubCluster): Promise<readonly string[]> {
  const entries = SWITCH_ORDER.map(async (component) => {
    const [workload, role] = await Promise.all([
      cluster.client.find(resources.Deployment, deployment(component)),
      inside(cluster).find(resources.ClusterRole, { name: `system:karmada:${component}` }),
    ]);
    const { volumes } = (workload as Workload | undefined)?.spec.template.spec ?? { volumes: [] };
    const hasOwn = volumes.some(({ secret }) => secret?.secretName === secretOf(component));
    return hasOwn && role !== undefined ? [] : [component];
  });
  return (await Promise.all(entries)).flat();
}

const find = async ({ client }: StubCluster): Promise<Karmada | undefined> =>
  (await client.find(karmadas, KEY)) as Karmada | undefined;

const conditionIn = (karmada: Karmada | undefined, called: string): Condition | undefined =>
  karmada?.status?.conditions?.find(({ type }) => type === called);

type Annotations = Readonly<Record<string, string | null>>;

const annotate = ({ client }: StubCluster, annotations: Annotations): Promise<unknown> =>
  client.patch(karmadas, KEY, { metadata: { annotations } });

/** Kind whose watch ends when the clock has moved. */
const TOLD_BY = '/services';

const watchesOf = ({ api }: StubCluster): readonly OpenWatch[] =>
  [...api.watches].filter(({ pathname }) => pathname.endsWith(TOLD_BY));

const queriesOf = (cluster: StubCluster): number =>
  cluster.etcdCluster(namespace, name)?.queries ?? 0;

/**
 * Moves the clock in phases, which follow each other when they have not returned false. The clock of the operator follows responses:
 * without a request, it would not know the time for half a minute. Older answers of etcd members would count no more, and the control
 * plane would not be Ready until the next ones. At last, the operator, which would sleep until its own clock has come so far, reconciles.
 */
function ticker(): (cluster: StubCluster) => Promise<void> {
  let [last, phase, queries] = [Date.now(), 0, 0];
  const phases: readonly ((cluster: StubCluster) => unknown)[] = [
    (cluster) => {
      advance(TICK_MS);
      for (const { end } of watchesOf(cluster)) end();
    },
    (cluster) => {
      queries = queriesOf(cluster);
      return watchesOf(cluster).length > 0;
    },
    (cluster) => queriesOf(cluster) > queries,
    (cluster) => annotate(cluster, { [TICK]: String(last) }),
  ];
  return async (cluster) => {
    const now = Date.now();
    if (now - last < BETWEEN_MS) return;
    if ((await phases[phase % phases.length]?.(cluster)) === false) return;
    [last, phase] = [now, phase + 1];
  };
}

/** What a test sees of the control plane. */
export interface Seen {
  readonly identities: Readonly<Record<string, string>>;
  /** Components that cannot use an identity of their own: without a role, or with another Secret in their Pods. */
  readonly unprepared: readonly string[];
  readonly condition?: Condition;
  readonly record?: NonNullable<Karmada['status']>['componentIdentities'];
  readonly isReady: boolean;
  /** Its condition `Ready`, unless it is True. */
  readonly ready?: string;
}

/** Versions of all objects of a control plane and its host cluster. */
const versionOf = (cluster: StubCluster): string =>
  [cluster.api, cluster.karmadaApi(namespace, name)].map((api) => api?.store.version).join();

/** Returns a function that reads the control plane. It reads again only if an object has changed. */
function looker(): (cluster: StubCluster) => Promise<Seen> {
  let last: { readonly version: string; readonly seen: Seen } | undefined;
  return async (cluster) => {
    const version = versionOf(cluster);
    if (last?.version !== version) last = { version, seen: await look(cluster) };
    return last.seen;
  };
}

function unreadyIn(karmada: Karmada | undefined): Pick<Seen, 'ready'> {
  const { status, reason = '', message = '' } = conditionIn(karmada, 'Ready') ?? {};
  return status === 'True' ? {} : { ready: `${reason}: ${message}` };
}

async function look(cluster: StubCluster): Promise<Seen> {
  const karmada = await find(cluster);
  const condition = conditionIn(karmada, 'ComponentIdentities');
  const record = karmada?.status?.componentIdentities;
  return {
    identities: await identitiesIn(cluster),
    unprepared: await unpreparedIn(cluster),
    isReady: karmada !== undefined && saysReady(karmada),
    ...unreadyIn(karmada),
    ...(condition && { condition }),
    ...(record && { record }),
  };
}

/** Changes something, and lets time pass until the control plane is so. @param each sees every state on the way */
export function until(
  change: (cluster: StubCluster) => Promise<unknown>,
  isDone: (seen: Seen) => boolean,
  each: (seen: Seen) => void = () => undefined,
): Step {
  const [tick, lookAt] = [ticker(), looker()];
  return {
    change,
    isDone: async (cluster) => {
      await tick(cluster);
      const seen = await lookAt(cluster);
      each(seen);
      return isDone(seen);
    },
    seen: async (cluster) => JSON.stringify(await lookAt(cluster)),
  };
}

/** Lets time pass in which nothing may change. @param ticks steps of the clock @param changed receives names of changed objects */
export function rest(ticks: number, changed: Set<string>): Step {
  const tick = ticker();
  let [before, end]: [ReadonlyMap<string, string>, number] = [new Map(), 0];
  return {
    change: async (cluster) => {
      await untilQuiet(cluster);
      before = versionsIn(cluster);
      end = stubNow() + ticks * TICK_MS;
    },
    isDone: async (cluster) => {
      await tick(cluster);
      if (stubNow() < end) return false;
      await untilQuiet(cluster);
      const after = versionsIn(cluster);
      for (const key of new Set([...before.keys(), ...after.keys()]))
        if (before.get(key) !== after.get(key)) changed.add(key);
      return true;
    },
    seen: () => Promise.resolve(`${String((end - stubNow()) / TICK_MS)} steps of the clock left`),
  };
}

/** Version of each object of the control plane; of its Karmada, which the clock annotates, that of spec and status. */
function versionsIn(cluster: StubCluster): ReadonlyMap<string, string> {
  const { host, inside } = objectsOf(cluster, name, namespace);
  const of = (object: KubernetesObject): string =>
    object.kind === 'Karmada'
      ? JSON.stringify([object['spec'], object['status']])
      : (object.metadata.resourceVersion ?? '');
  return new Map([...host, ...inside].map((object) => [identity(object), of(object)]));
}

export const nothing = (): Promise<void> => Promise.resolve();

/** Sets the annotation; null takes it off. */
export const hold =
  (value: string | null) =>
  (cluster: StubCluster): Promise<unknown> =>
    annotate(cluster, { [IDENTITIES]: value });

export const isSwitched = ({ identities, condition, record, isReady }: Seen): boolean =>
  isReady &&
  condition === undefined &&
  record === undefined &&
  Object.values(identities).every((one) => one === 'own');
