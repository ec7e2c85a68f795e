/**
 * Why a member cannot start again with its data: pure, from facts of the Kubernetes API and the last output of etcd. A
 * member without such a fact may recover by itself.
 */
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../kubernetes/objects/kinds.ts';
import { conditionOf } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { EtcdView } from '../../etcd/view.ts';
import { firstBy } from '../../kubernetes/objects/first-by.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { exitOf, restartsOf, serves } from './etcd-pods.ts';
import { volumeNodes, type VolumeNodes } from '../storage/volume-nodes.ts';

/** What the volumes of members that are down depend on. Empty while all members are ready. */
export interface VolumeFacts {
  /** PersistentVolumes of these members. */
  readonly volumes: readonly PersistentVolume[];
  /** Nodes that these volumes require. */
  readonly nodes: readonly Node[];
}

export const NO_VOLUMES: VolumeFacts = { volumes: [], nodes: [] };

/** State of the only nodes of each volume, by the name of the volume. */
export type VolumeStates = ReadonlyMap<string, VolumeNodes | undefined>;

/** Derives the state of each volume once for all members. Of volumes with the same name the first one counts. */
export const volumeStates = ({ volumes, nodes }: VolumeFacts): VolumeStates =>
  new Map(
    volumes
      .toReversed()
      .map((volume) => [volume.metadata.name, volumeNodes(volume, nodes)] as const),
  );

/** Objects that a defect is derived from. */
export interface DefectInput {
  readonly volumes: VolumeStates;
  readonly pod: Pod;
  /** PVC of the Pod. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** See `laggingPods`. */
  readonly lagging: ReadonlySet<string>;
}

/** Since when a Pod has not been ready, wall clock in milliseconds. @returns undefined if it is ready */
export function downSince(pod: Pod): number | undefined {
  if (serves(pod)) return undefined;
  const changes = ['Ready', 'PodScheduled'].flatMap((type) => {
    const condition = conditionOf(pod, type);
    return condition?.status === 'True' ? [] : [condition?.lastTransitionTime ?? ''];
  });
  const [since = ''] = [...changes, pod.metadata.creationTimestamp ?? ''].filter(Boolean);
  const time = parseTime(since);
  return Number.isNaN(time) ? undefined : time;
}

interface ClaimFields {
  readonly spec?: { readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
}

const fieldsOf = (claim: PersistentVolumeClaim | undefined): ClaimFields => claim ?? {};

/** Name of the volume that is bound to a PVC. */
export const volumeNameOf = (claim: PersistentVolumeClaim | undefined): string | undefined =>
  fieldsOf(claim).spec?.volumeName;

/** State of the nodes that the volume of a member needs. */
export function nodesOf({ claim, volumes }: DefectInput): VolumeNodes | undefined {
  const name = volumeNameOf(claim);
  return name === undefined ? undefined : volumes.get(name);
}

/** Returns the defect of a member; completes a sentence after "because". */
export function defectOf(input: DefectInput): string | undefined {
  const found = nodesOf(input);
  if (found?.kind === 'lost') return found.text;
  return lostVolume(input) ?? corruption(input) ?? lag(input);
}

/** Kubernetes reports the phase `Lost` when the volume of a bound PVC was deleted. */
function lostVolume({ claim }: DefectInput): string | undefined {
  if (claim === undefined || fieldsOf(claim).status?.phase !== 'Lost') return undefined;
  const { name } = claim.metadata;
  return `PersistentVolume ${volumeNameOf(claim) ?? ''} of PersistentVolumeClaim ${name} was deleted`;
}

/** Failed starts after which the cause is not a passing one. */
const FAILED_STARTS = 3;

/**
 * Output of etcd that ends because of its data: the write-ahead log or the database has wrong contents, or the directory
 * is empty, so that etcd looks for a cluster to join.
 */
const CORRUPT: readonly RegExp[] = [
  /\bwalp?b?: (?:crc mismatch|max entry size limit exceeded|slice bounds out of range)/,
  /\bfailed to (?:open database|recover v3 backend from snapshot|find database snapshot file)/,
  /\binvalid database\b/,
  /\bgo\.etcd\.io\/bbolt\b/,
  /\bcannot fetch cluster info from peer urls\b/,
];

function corruption({ pod }: DefectInput): string | undefined {
  const { exitCode = 0, message = '' } = exitOf(pod) ?? {};
  if (exitCode === 0 || restartsOf(pod) < FAILED_STARTS) return undefined;
  const found = CORRUPT.map((pattern) => pattern.exec(message)?.[0]).find(Boolean);
  return found && `etcd does not start with its data (${found})`;
}

/** Log entries that etcd keeps for members that lag (`--snapshot-catchup-entries`). */
const KEPT_ENTRIES = 5_000n;

/** Returns the Pods of voters that lag further, and so need a snapshot of the leader. */
export function laggingPods({ answers }: Pick<EtcdView, 'answers'>): ReadonlySet<string> {
  const leader = answers.find(({ memberId, leaderId }) => memberId === leaderId);
  if (leader === undefined) return new Set();
  const least = BigInt(leader.raftIndex) - KEPT_ENTRIES;
  const own = [...firstBy(answers, ({ pod }) => pod).values()];
  const behind = own.filter(({ isLearner, raftIndex }) => !isLearner && BigInt(raftIndex) < least);
  return new Set(behind.map(({ pod }) => pod));
}

/** The snapshot has not been applied while the Pod is not ready. */
function lag({ pod, lagging }: DefectInput): string | undefined {
  if (!lagging.has(pod.metadata.name)) return undefined;
  return `it lacks more than ${String(KEPT_ENTRIES)} entries of the log, and receives no snapshot`;
}
