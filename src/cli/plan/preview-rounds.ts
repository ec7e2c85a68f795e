/**
 * The rounds of a reconcile before its plan, as a preview shows them: nothing is written, and each write is assumed to
 * succeed. It queries no member of a running etcd, so it shows only what objects prove.
 */
import type { Action } from '../../actions/action.ts';
import {
  executionResultOf,
  liveKey,
  type Done,
  type ExecutionResult,
} from '../../actions/execution-result.ts';
import type { AdoptObject } from '../../actions/karmada-action.ts';
import type { Known } from '../../actions/round.ts';
import { secretOf } from '../../api/labels.ts';
import { instanceName } from '../../api/naming.ts';
import type { Templates } from '../../components/render.ts';
import { preparingRounds } from '../../controllers/karmada/rounds.ts';
import { runRounds } from '../../controllers/karmada/run-rounds.ts';
import { bootstrapRounds } from '../../features/etcd-plan/bootstrap-rounds.ts';
import type { EtcdData } from '../../instance/etcd-bootstrap.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { asReconciled, changeOf, type Change } from '../simulate-plan.ts';
import type { RemotePreview } from './preview-host.ts';

/** What the rounds before the plan decide on, besides the snapshot. */
export interface Preparation {
  /** Actions that adopt objects of the Go operator, by round. */
  readonly adoption: readonly (readonly AdoptObject[])[];
  readonly pki: PkiInputs;
  /** Secrets with certificates that the operator would write. */
  readonly secrets: readonly Change[];
  /** Undefined for the management cluster. */
  readonly remote?: RemotePreview | undefined;
  /** Data of a local etcd without a StatefulSet. */
  readonly etcdData?: EtcdData | undefined;
}

interface PreparedRounds {
  readonly rounds: readonly (readonly Change[])[];
  /** The snapshot after them. */
  readonly snapshot: Snapshot;
}

/** Returns the changes of these rounds. Rounds without one are left out. @param view of the certificates after them */
export async function previewRounds(
  templates: Templates,
  snapshot: Snapshot,
  preparation: Preparation,
  view: CertificatesView,
): Promise<PreparedRounds> {
  const { adoption, pki, secrets, remote, etcdData } = preparation;
  const rounds: (readonly Change[])[] = [];
  const act = async (actions: readonly Action[]): Promise<ExecutionResult> => {
    const changes = actions.flatMap((action) => changesOf(action, snapshot, preparation));
    if (changes.length > 0) rounds.push(changes);
    return executionResultOf(actions.map(doneOf), []);
  };
  const clock = { wall: () => snapshot.now, monotonic: () => 0 };
  const instance = { key: '', settled: new Map<string, string>() };
  const context = { instance, clock, random: () => 0, tools: undefined, act };
  const { certificates } = snapshot;
  const due = { state: 'due', reason: '' } as const;
  const start: Snapshot = {
    ...snapshot,
    certificates: secrets.length > 0 ? due : certificates,
    ...(remote && { remote: remote.remote }),
  };
  const preparing = preparingRounds(templates, adoption);
  const prepared = await runRounds<unknown, Known>(preparing, context, { snapshot: start, pki });
  const known: Known = { ...prepared, snapshot: { ...prepared.snapshot, certificates } };
  const read = etcdData && { ...etcdData, backup: etcdData.backup ?? createdBackup(preparation) };
  const seen = { ...known, view, snapshot: { ...known.snapshot, ...(read && { etcdData: read }) } };
  const deciding = bootstrapRounds.map(({ observe: _, ...round }) => round);
  const decided = onHost(await runRounds<unknown, Known>(deciding, context, seen));
  return { rounds, snapshot: read ? decided : proven(decided, rounds) };
}

/** Of a running etcd, only the loss of all data is certain without the responses of its members, unless the user gave the data up. */
function proven(snapshot: Snapshot, rounds: readonly (readonly Change[])[]): Snapshot {
  const { etcdBootstrap, ...rest } = snapshot;
  const isLost = etcdBootstrap?.problem?.reason === 'DataLost';
  const isGivenUp = rounds.flat().some(({ what }) => what === 'remove');
  return isLost && !isGivenUp ? snapshot : rest;
}

/** The preview of the components does not distinguish host clusters. */
function onHost({ snapshot: { remote: _, ...snapshot } }: Known): Snapshot {
  return snapshot;
}

/** The CA backup of a new control plane, which stores the record of its etcd. */
const createdBackup = ({ pki, secrets }: Preparation): KubernetesObject | undefined =>
  secrets.find(({ object }) => object.metadata.name === instanceName(pki.name, 'ca-backup'))
    ?.object;

function changesOf(
  action: Action,
  { karmada }: Snapshot,
  preparation: Preparation,
): readonly Change[] {
  if (action.kind === 'apply') return changeOf(action);
  if (action.kind === 'issueCertificates') return preparation.secrets;
  const host = { cluster: 'host', step: undefined } as const;
  if (action.kind === 'adoptObject') return [{ ...host, what: 'change', object: action.object }];
  if (action.kind === 'recordEtcd') return [{ ...host, what: 'change', object: action.backup }];
  if (action.kind === 'abandonEtcd')
    return [{ ...host, step: 'etcd', what: 'remove', object: action.statefulSet }];
  const object = createdBy(action, karmada, preparation);
  return object === undefined ? [] : [{ ...host, what: 'create', object }];
}

/** The object that an action creates without one of the desired state. A preview does not read the values of a copy that exists. */
function createdBy(
  action: Action,
  { metadata }: Snapshot['karmada'],
  { remote }: Preparation,
): KubernetesObject | undefined {
  if (action.kind === 'createNamespace') return { ...NAMESPACE, metadata: { name: action.name } };
  if (action.kind === 'copyPullSecret')
    return remote?.pullSecrets.has(action.name) ? secretOf(metadata, action.name, {}) : undefined;
  if (action.kind !== 'copyEtcdSecret' || action.cached !== undefined) return undefined;
  return secretOf(metadata, action.secret.mounted, {});
}

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' } as const;

const doneOf = (action: Action): Done => {
  if (action.kind === 'recordEtcd') return { writes: 1 };
  if (action.kind !== 'apply') return {};
  const { target } = action;
  return { writes: 1, live: [liveKey(target.cluster, target.id), asReconciled(target)] };
};
