/** Components of a control plane of stubs leave the group `system:masters`. The clock goes on faster than time. */
import { X509Certificate } from 'node:crypto';
import { COMPONENTS_GROUP, MASTERS_GROUP } from '../../../src/api/identities.ts';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { instanceName } from '../../../src/api/naming.ts';
import { SWITCH_ORDER } from '../../../src/features/identities/decide-identities.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/resources.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { StubClient } from '../api/stub-client.ts';
import { advance } from '../clock.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { install, NAMESPACE as namespace, type Step } from './scenario.ts';

const PREFIX = 'operator.karmada.io';
const IDENTITIES = `${PREFIX}/component-identities`;
const PAUSE = `${PREFIX}/pause-repair`;
const KEY = { namespace, name };
/** Step of the clock. A component is on trial for 10 minutes. */
const TICK_MS = 100_000;
/** Real time between two steps, in which the operator reconciles. */
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

/** `own`, or the group that the certificate of a component names, by component. */
async function identitiesIn({ client }: StubCluster): Promise<Readonly<Record<string, string>>> {
  const entries = SWITCH_ORDER.map(async (component) => {
    const key = { namespace, name: instanceName(name, `${component}-config`) };
    const secret = await client.find(resources.Secret, key);
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    const { subject } = new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'));
    const groups = [COMPONENTS_GROUP, MASTERS_GROUP];
    const group = groups.find((one) => subject.split('\n').includes(`O=${one}`)) ?? subject;
    return [component, group === COMPONENTS_GROUP ? 'own' : group] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const find = async ({ client }: StubCluster): Promise<Karmada | undefined> =>
  (await client.find(karmadas, KEY)) as Karmada | undefined;

const conditionIn = (karmada: Karmada | undefined): Condition | undefined =>
  karmada?.status?.conditions?.find(({ type }) => type === 'ComponentIdentities');

type Annotations = Readonly<Record<string, string | null>>;

const annotate = ({ client }: StubCluster, annotations: Annotations): Promise<unknown> =>
  client.patch(karmadas, KEY, { metadata: { annotations } });

/** Moves the clock, and tells the operator, which would sleep until its own clock has come so far. */
function ticker(): (cluster: StubCluster) => Promise<void> {
  let last = 0;
  return async (cluster) => {
    const now = Date.now();
    if (now - last < BETWEEN_MS) return;
    last = now;
    advance(TICK_MS);
    await annotate(cluster, { [`${PREFIX}/test-tick`]: String(now) });
  };
}

/** What a test sees of the control plane. */
export interface Seen {
  readonly identities: Readonly<Record<string, string>>;
  readonly condition?: Condition;
  readonly record?: NonNullable<Karmada['status']>['componentIdentities'];
  readonly isReady: boolean;
}

async function look(cluster: StubCluster): Promise<Seen> {
  const karmada = await find(cluster);
  const [condition, record] = [conditionIn(karmada), karmada?.status?.componentIdentities];
  return {
    identities: await identitiesIn(cluster),
    isReady: karmada !== undefined && saysReady(karmada),
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
  const tick = ticker();
  return {
    change,
    isDone: async (cluster) => {
      await tick(cluster);
      const seen = await look(cluster);
      each(seen);
      return isDone(seen);
    },
    seen: async (cluster) => JSON.stringify(await look(cluster)),
  };
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

/** A role in the Karmada API. */
export interface Role {
  readonly type: ResourceType;
  readonly key: { readonly name: string; readonly namespace?: string };
}

/** The ClusterRole of a component, or of the group of all. */
export const clusterRole = (called: string): Role => ({
  type: resources.ClusterRole,
  key: { name: called },
});

function inside(cluster: StubCluster): StubClient {
  const api = cluster.karmadaApi(namespace, name);
  if (api === undefined) throw new Error('the Karmada API was not served yet');
  return new StubClient(api, [], 'kubectl');
}

export const roleOf = (cluster: StubCluster, { type, key }: Role): Promise<KubernetesObject> =>
  inside(cluster).get(type, key);

/** Takes the first rule of a role. @param pauses whether the operator must not apply it again */
export const takeRule =
  (role: Role, pauses = false) =>
  async (cluster: StubCluster): Promise<void> => {
    const { rules } = (await roleOf(cluster, role)) as unknown as { rules: readonly object[] };
    const annotations = pauses ? { [PAUSE]: 'true' } : {};
    const patch = { metadata: { annotations }, rules: rules.slice(1) };
    await inside(cluster).patch(role.type, role.key, patch);
  };

/** Lets the operator apply a role again. */
export const repair =
  ({ type, key }: Role) =>
  (cluster: StubCluster): Promise<unknown> =>
    inside(cluster).patch(type, key, { metadata: { annotations: { [PAUSE]: null } } });
