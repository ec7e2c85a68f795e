/**
 * Whose data an external etcd has: pure. The operator uses an etcd with data of another cluster only after a user has named this data
 * in an annotation, and moves a control plane only to an etcd with its own data.
 */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { StoredData } from '../../external-etcd/stored-data.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { usesEtcdOf } from './etcd-in-use.ts';

/** Annotation of a Karmada: data that its control plane takes over. */
export const TAKE_OVER_ANNOTATION = 'operator.karmada.io/etcd-take-over';

type Seen = Pick<Snapshot, 'karmada' | 'externalEtcd'>;
/** With the objects of the control plane. */
type SeenRunning = Seen & Pick<Snapshot, 'host'>;

/** Why a new control plane must not use the etcd; undefined if it may. */
export function newDataProblem(seen: Seen): Problem | undefined {
  const data = dataIn(seen);
  if (data === 'unread') return UNREAD;
  return data === undefined || data.kind === 'none' ? undefined : foreignProblem(seen, data);
}

/**
 * Why a control plane that was Ready must not move to the etcd; undefined if it may, or its API server uses these keys already. Without
 * a record of its data, which earlier versions of the operator did not write, nothing can be compared.
 */
export function movedDataProblem(seen: SeenRunning): Problem | undefined {
  const data = dataIn(seen);
  if (data === undefined || ownUID(seen) === undefined) return undefined;
  if (usesEtcdOf(seen.karmada, seen.host.objects)) return undefined;
  return data === 'unread' ? UNREAD : foreignProblem(seen, data);
}

function dataIn({ externalEtcd }: Seen): StoredData | 'unread' | undefined {
  const { check } = externalEtcd ?? {};
  return check?.outcome === 'served' ? (check.data ?? 'unread') : undefined;
}

const UNREAD: Problem = {
  reason: 'EtcdDataUnread',
  message:
    'external etcd: healthy, but its keys could not be read, so it is not known whose data it has; the operator retries',
};

const ownUID = ({ karmada }: Pick<Seen, 'karmada'>): string | undefined =>
  karmada.status?.etcdDataUID;

function foreignProblem(seen: Seen, data: StoredData): Problem | undefined {
  const { karmada, externalEtcd } = seen;
  if (data.kind === 'denied') return denied(data.prefix);
  if (data.kind !== 'cluster') return unlessConfirmed(karmada, data);
  if (data.uid === ownUID(seen)) return undefined;
  return data.uid === externalEtcd?.hostUID ? ofHost(data) : unlessConfirmed(karmada, data);
}

const denied = (prefix: string): Problem =>
  problem(
    'EtcdDataUnread',
    `the client certificate may not read the keys below ${prefix}, which karmada-apiserver needs; grant its user in etcd read and write access to this prefix`,
  );

const ofHost = ({ prefix, uid }: Extract<StoredData, { kind: 'cluster' }>): Problem =>
  problem(
    'EtcdDataForeign',
    `this is the etcd of the host cluster itself: below ${prefix} the Namespace kube-system has the UID ${uid} of the host cluster; ${OTHER_PREFIX}`,
  );

function unlessConfirmed(karmada: Karmada, data: NamedData): Problem | undefined {
  const name = nameOf(data);
  if (karmada.metadata.annotations?.[TAKE_OVER_ANNOTATION] === name) return undefined;
  const own = ownUID({ karmada });
  const mine = own === undefined ? '' : `, and that of this control plane has the UID ${own}`;
  return problem(
    data.kind === 'none' ? 'EtcdDataMissing' : 'EtcdDataForeign',
    `${textOf(data)}${mine}; ${remedyFor(data)}: ${command(karmada, name)}`,
  );
}

const problem = (reason: Reason, text: string): Problem => ({
  reason,
  message: `spec.components.etcd.external: ${text}`,
});

const OTHER_PREFIX =
  'set extraArgs.etcd-prefix of karmadaAPIServer, karmadaAggregatedAPIServer and karmadaSearch to another prefix, or use another etcd';

const remedyFor = ({ kind }: NamedData): string =>
  kind === 'none'
    ? 'restore a snapshot of this data there, or correct the endpoints or extraArgs.etcd-prefix, or to start without this data'
    : `${OTHER_PREFIX}, or to take over exactly this data`;

type NamedData = Exclude<StoredData, { kind: 'denied' }>;

/** Value of the annotation for this data. */
function nameOf(data: NamedData): string {
  if (data.kind === 'cluster') return data.uid;
  return `${data.kind === 'none' ? 'empty' : 'etcd'}-${data.clusterID}`;
}

function textOf(data: NamedData): string {
  switch (data.kind) {
    case 'none':
      return `the etcd cluster ${data.clusterID} has no data`;
    case 'cluster':
      return `the etcd has the data of another API server: below ${data.prefix} the Namespace kube-system has the UID ${data.uid}`;
    case 'unidentified':
      return `the etcd cluster ${data.clusterID} has ${data.keys} keys below ${data.prefix}, and no readable Namespace kube-system that shows whose they are`;
  }
}

const command = ({ metadata }: Pick<Karmada, 'metadata'>, value: string): string =>
  `kubectl -n ${metadata.namespace ?? ''} annotate --overwrite karmada ${metadata.name} ${TAKE_OVER_ANNOTATION}=${value}`;

/** Record of the data that the API server of a Ready control plane uses. */
export function dataField(
  seen: SeenRunning,
  before: Pick<KarmadaStatus, 'etcdDataUID'>,
  isReady: boolean,
): Pick<KarmadaStatus, 'etcdDataUID'> {
  const data = dataIn(seen);
  const isUsed = isReady && usesEtcdOf(seen.karmada, seen.host.objects);
  const isKnown = isUsed && typeof data === 'object' && data.kind === 'cluster';
  const found = isKnown ? data.uid : undefined;
  const uid = found ?? before.etcdDataUID;
  return uid === undefined ? {} : { etcdDataUID: uid };
}
