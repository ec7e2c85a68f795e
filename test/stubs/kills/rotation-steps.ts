/** Steps of a rotation in a control plane of stubs. The clock goes on faster than time. */
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { disturbedName as name } from '../../harness/disturbed-install.ts';
import { advance, stubNow } from '../clock.ts';
import type { StubCluster } from '../stub-cluster.ts';
import { NAMESPACE as namespace, type Step } from './scenario.ts';

const PREFIX = 'operator.karmada.io';
const KEY = { namespace, name };
/**
 * Steps of the clock in milliseconds: while a rotation waits for a time, or for the hour in which API servers publish a new key,
 * or for something else.
 */
const STEP_MS = { wait: 60_000, publication: 600_000, other: 5_000 } as const;
/** A reconcile that sees the clock jump is followed by one with a clock that stands. */
const BETWEEN_MS = 1_000;

/** Text of a value of a Secret. */
export const textOf = (secret: KubernetesObject | undefined, key: string): string => {
  const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return Buffer.from(data[key] ?? '', 'base64').toString('utf8');
};

/** Reads a Secret of the control plane. @param suffix of its name */
export const findSecret = (
  { client }: StubCluster,
  suffix: string,
): Promise<KubernetesObject | undefined> =>
  client.find(resources.Secret, { namespace, name: `${name}-${suffix}` });

/** Record of the rotations, as text. */
const recordIn = (backup: KubernetesObject | undefined): string =>
  backup?.metadata.annotations?.[`${PREFIX}/rotation`] ?? '{"rotations":[]}';

/** Number of rotations under way. */
export const rotationsIn = (backup: KubernetesObject | undefined): number =>
  (JSON.parse(recordIn(backup)) as { rotations: readonly unknown[] }).rotations.length;

/** What must hold at any time. */
export interface Watched {
  /** Receives what is wrong. */
  readonly faults: Set<string>;
  readonly faultsOf: (cluster: StubCluster) => Promise<readonly string[]>;
}

/** Nothing is watched. */
const UNWATCHED: Watched = { faults: new Set(), faultsOf: () => Promise.resolve([]) };

const find = async ({ client }: StubCluster): Promise<Karmada | undefined> =>
  (await client.find(karmadas, KEY)) as Karmada | undefined;

const rotationOf = (karmada: Karmada | undefined): Condition | undefined =>
  karmada?.status?.conditions?.find(({ type }) => type === 'CertificateRotation');

type Annotations = Readonly<Record<string, string | null>>;

const annotate = ({ client }: StubCluster, annotations: Annotations): Promise<unknown> =>
  client.patch(karmadas, KEY, { metadata: { annotations } });

/**
 * How far the clock goes on. On a slow machine, it must not run away from that of this machine, by which OpenSSL judges certificates.
 */
function stepFor({ message = '' }: Partial<Condition> = {}): number {
  const [time] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(message) ?? [];
  if (message.includes('only for a short time')) return STEP_MS.publication;
  const waits =
    time === undefined ? message.includes('less than a minute') : Date.parse(time) > stubNow();
  return waits ? STEP_MS.wait : STEP_MS.other;
}

/** Moves the clock, and tells the operator, which would sleep until its own clock has come so far. */
function ticker(): (cluster: StubCluster, condition: Condition | undefined) => Promise<void> {
  let [last, count] = [0, 0];
  return async (cluster, condition) => {
    const now = Date.now();
    if (now - last < BETWEEN_MS) return;
    last = now;
    count += 1;
    if (count % 2 === 0) advance(stepFor(condition));
    await annotate(cluster, { [`${PREFIX}/test-tick`]: String(now) });
  };
}

/** @param record text of the record in the CA backup Secret */
type IsDone = (condition: Condition | undefined, record: string) => boolean;

/** Annotates the Karmada, and waits until the condition or the record says so. Faults are noted meanwhile. */
function until(
  annotations: (karmada: Karmada | undefined) => Annotations,
  isDone: IsDone,
  { faults, faultsOf }: Watched,
): Step {
  const tick = ticker();
  return {
    change: async (cluster) => annotate(cluster, annotations(await find(cluster))),
    isDone: async (cluster) => {
      await tick(cluster, rotationOf(await find(cluster)));
      for (const fault of await faultsOf(cluster)) faults.add(fault);
      const record = recordIn(await findSecret(cluster, 'ca-backup'));
      return isDone(rotationOf(await find(cluster)), record);
    },
    seen: async (cluster) => {
      const { conditions = [] } = (await find(cluster))?.status ?? {};
      return `${recordIn(await findSecret(cluster, 'ca-backup'))} ${JSON.stringify(conditions)}`;
    },
  };
}

/** Key and value of the annotation that the condition quotes. */
function quotedIn(condition: Condition | undefined): readonly [string, string] {
  const quoted = /annotate the Karmada with ([^=\s]+)=(\S+)/.exec(condition?.message ?? '');
  const [, annotation = '', value = ''] = quoted ?? [];
  return [annotation, value];
}

const confirmation = (karmada: Karmada | undefined): Annotations =>
  Object.fromEntries([quotedIn(rotationOf(karmada))]);

const has =
  (reason: string) =>
  (condition: Condition | undefined): boolean =>
    condition?.reason === reason;

const isGone = (condition: Condition | undefined): boolean => condition === undefined;

const rotate = (value: string) => (): Annotations => ({ [`${PREFIX}/rotate`]: value });

/** Whether a rotation has begun. An operator that is killed after each write says nothing about phases without a wait. */
const isThere = (condition: Condition | undefined): boolean => !isGone(condition);

/** A rotation that ends by itself: the request, its first phases, and the end. @param value of the annotation */
export const rotated = (value: string, watched: Watched): readonly Step[] => [
  until(rotate(value), isThere, watched),
  until(() => ({}), isGone, watched),
];

/** A rotation whose overlap a user ends. @param value of the annotation */
export const confirmed = (value: string, watched: Watched): readonly Step[] => [
  until(rotate(value), has('ConfirmationRequired'), watched),
  until(confirmation, isGone, watched),
];

/** A change of objects besides the Karmada. */
type Change = (cluster: StubCluster) => Promise<unknown>;

interface Provided {
  /** Appends the certificate; absent if it comes with its private key. */
  readonly append?: Change;
  readonly swap: Change;
}

/** A rotation to a CA that a user provides. @param value of the annotation */
export function provided(
  value: string,
  { append, swap }: Provided,
  watched: Watched,
): readonly Step[] {
  const request = (change: Change) => async (cluster: StubCluster) => {
    await change(cluster);
    await annotate(cluster, rotate(value)());
  };
  const isSwitched = until(() => ({}), has('ConfirmationRequired'), watched);
  const isTrusted = until(() => ({}), has('CustomKeyRequired'), watched);
  const begin =
    append === undefined
      ? [{ ...isSwitched, change: request(swap) }]
      : [
          { ...isTrusted, change: request(append) },
          { ...isSwitched, change: swap },
        ];
  return [...begin, until(confirmation, isGone, watched)];
}

/** A request that the operator refuses, and that is taken back. */
export const refused = (value: string, reason: string): readonly Step[] => [
  until(rotate(value), has(reason), UNWATCHED),
  until(() => ({ [`${PREFIX}/rotate`]: null }), isGone, UNWATCHED),
];

/** Aborts a rotation, and waits for what comes of it. @param authority what is rotated */
const aborted = (authority: string, isDone: IsDone, watched: Watched): Step => ({
  ...until(() => ({}), isDone, watched),
  change: async (cluster) => {
    const record = recordIn(await findSecret(cluster, 'ca-backup'));
    const [, to = ''] = /"to":"([0-9a-f]{16})/.exec(record) ?? [];
    await annotate(cluster, { [`${PREFIX}/rotate-abort`]: `${authority}/${to}/1` });
  },
});

/** A rotation that is aborted in a phase. @param authority what is rotated */
export const abortedIn = (phase: string, authority: string, watched: Watched): readonly Step[] => [
  until(rotate(`${authority}/1`), has(phase), watched),
  aborted(authority, isGone, watched),
];

/** Whether the record has the last phase: the condition may name an obstacle instead. */
const isCompleting: IsDone = (_, record) => record.includes('"phase":"Completing"');

/** Whether the condition asks for another confirmation than the one that was given before. */
function asksAnew(condition: Condition | undefined, record: string): boolean {
  const [, value] = quotedIn(condition);
  return value !== '' && !record.includes(`"complete=${value}"`);
}

/** A rotation whose last phase is aborted, so that a user ends the overlap, or ends it once more. @param authority what is rotated */
export const abortedLate = (authority: string, watched: Watched): readonly Step[] => {
  const request = rotate(`${authority}/1`);
  const isConfirmed = ['ca', 'service-account-key'].includes(authority);
  return [
    ...(isConfirmed
      ? [
          until(request, has('ConfirmationRequired'), watched),
          until(confirmation, isCompleting, watched),
        ]
      : [until(request, isCompleting, watched)]),
    aborted(authority, asksAnew, watched),
    until(confirmation, isGone, watched),
  ];
};
