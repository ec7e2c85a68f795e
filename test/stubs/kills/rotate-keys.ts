/** Rotation of the ServiceAccount key in a control plane of stubs. The clock goes on faster than time. */
import { createHash, createPublicKey } from 'node:crypto';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { advance } from '../clock.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { NAMESPACE as namespace, type Step } from './scenario.ts';

const PREFIX = 'operator.karmada.io';
const KEY = { namespace, name };
/** Step of the clock in milliseconds. */
const TICK_MS = 60_000;
/** A reconcile that sees the clock jump has no proof, so that another one follows with a clock that stands. */
const BETWEEN_MS = 1_000;

const hashOf = (pem: string): string =>
  createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('hex');

const textOf = (secret: KubernetesObject | undefined, key: string): string => {
  const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return Buffer.from(data[key] ?? '', 'base64').toString('utf8');
};

/** What the Secrets have of the keys, as SHA-256 of the public halves. */
interface StoredKeys {
  readonly signs: string;
  readonly verifies: readonly string[];
  /** Keys whose private half the CA backup Secret has. */
  readonly saved: readonly string[];
  /** Rotations under way. */
  readonly rotations: number;
}

export async function storedKeys({ client }: StubCluster): Promise<StoredKeys> {
  const find = (suffix: string): Promise<KubernetesObject | undefined> =>
    client.find(resources.Secret, { namespace, name: `${name}-${suffix}` });
  const [used, saved] = await Promise.all([find('service-account-key'), find('ca-backup')]);
  const verifying = textOf(used, 'service-account.pub');
  const privates = ['', '-successor', '-retired']
    .map((one) => textOf(saved, `service-account${one}.key`))
    .filter((pem) => pem !== '');
  const record = saved?.metadata.annotations?.[`${PREFIX}/rotation`] ?? '{"rotations":[]}';
  return {
    signs: hashOf(textOf(used, 'service-account.key')),
    verifies: (verifying.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map(hashOf),
    saved: [...new Set(privates.map(hashOf))].sort(),
    rotations: (JSON.parse(record) as { rotations: readonly unknown[] }).rotations.length,
  };
}

/** What is wrong with the keys at the moment. */
async function faultsOf(cluster: StubCluster): Promise<readonly string[]> {
  const { signs, verifies, saved } = await storedKeys(cluster);
  const { tokenKeys } = cluster;
  const refused = tokenKeys.filter((one) =>
    tokenKeys.some(({ published }) => !published.includes(one.signs)),
  );
  return [
    ...(verifies.includes(signs) ? [] : ['the key that signs does not verify']),
    ...(saved.includes(signs) ? [] : ['the private key that signs is not in the CA backup Secret']),
    ...(refused.length === 0 ? [] : ['an API server refuses the tokens of another one']),
  ];
}

const find = async ({ client }: StubCluster): Promise<Karmada | undefined> =>
  (await client.find(karmadas, KEY)) as Karmada | undefined;

const rotationOf = (karmada: Karmada | undefined): Condition | undefined =>
  karmada?.status?.conditions?.find(({ type }) => type === 'CertificateRotation');

type Annotations = Readonly<Record<string, string | null>>;

const annotate = ({ client }: StubCluster, annotations: Annotations): Promise<unknown> =>
  client.patch(karmadas, KEY, { metadata: { annotations } });

/** Moves the clock, and tells the operator, which would sleep until its own clock has come so far. */
function ticker(): (cluster: StubCluster) => Promise<void> {
  let [last, count] = [0, 0];
  return async (cluster) => {
    const now = Date.now();
    if (now - last < BETWEEN_MS) return;
    last = now;
    count += 1;
    if (count % 2 === 0) advance(TICK_MS);
    await annotate(cluster, { [`${PREFIX}/test-tick`]: String(now) });
  };
}

/** Annotates the Karmada, and waits until the condition says so. Faults of the keys are noted meanwhile. */
function until(
  annotations: (karmada: Karmada | undefined) => Annotations,
  isDone: (condition: Condition | undefined) => boolean,
  faults: Set<string>,
): Step {
  const tick = ticker();
  return {
    change: async (cluster) => annotate(cluster, annotations(await find(cluster))),
    isDone: async (cluster) => {
      await tick(cluster);
      for (const fault of await faultsOf(cluster)) faults.add(fault);
      return isDone(rotationOf(await find(cluster)));
    },
    seen: async (cluster) => JSON.stringify((await find(cluster))?.status?.conditions ?? []),
  };
}

/** The annotation that the condition quotes. */
function confirmation(karmada: Karmada | undefined): Annotations {
  const quoted = /annotate the Karmada with ([^=\s]+)=(\S+)/.exec(
    rotationOf(karmada)?.message ?? '',
  );
  const [, annotation = '', value = ''] = quoted ?? [];
  return { [annotation]: value };
}

const has =
  (reason: string) =>
  (condition: Condition | undefined): boolean =>
    condition?.reason === reason;

const isGone = (condition: Condition | undefined): boolean => condition === undefined;

const rotate = (value: string) => (): Annotations => ({ [`${PREFIX}/rotate`]: value });

/** Steps of a whole rotation: the request, and the confirmation that former tokens are given up. @param faults receives what is wrong */
export const rotateKey = (id: string, faults: Set<string>): readonly Step[] => [
  until(rotate(`service-account-key/${id}`), has('ConfirmationRequired'), faults),
  until(confirmation, isGone, faults),
];

/** A request that the operator refuses, and that is taken back. */
export const refused = (value: string, reason: string): readonly Step[] => [
  until(rotate(value), has(reason), new Set()),
  until(() => ({ [`${PREFIX}/rotate`]: null }), isGone, new Set()),
];

/** A rotation that is aborted in a phase. */
export const abortedIn = (phase: string, id: string, faults: Set<string>): readonly Step[] => [
  until(rotate(`service-account-key/${id}`), has(phase), faults),
  {
    ...until(() => ({}), isGone, faults),
    change: async (cluster) => {
      const saved = await cluster.client.find(resources.Secret, {
        namespace,
        name: `${name}-ca-backup`,
      });
      const record = saved?.metadata.annotations?.[`${PREFIX}/rotation`] ?? '';
      const [, to = ''] = /"to":"([0-9a-f]{16})/.exec(record) ?? [];
      await annotate(cluster, { [`${PREFIX}/rotate-abort`]: `service-account-key/${to}/${id}` });
    },
  },
];
