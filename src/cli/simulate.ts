/** Simulates a change on the current state of a control plane, with the decision of the operator. */
import { ifEnabled } from '../api/addon.ts';
import type { Karmada } from '../api/karmada.ts';
import type { Templates } from '../components/render.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import { archiveSource } from '../crd-archives/source.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { decide } from '../controllers/karmada/decide.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { DesiredObject } from '../instance/desired-objects.ts';
import type { EtcdBootstrap } from '../instance/etcd-bootstrap.ts';
import type { DesiredState } from '../actions/planner.ts';
import type {
  CertificatesView,
  ControlPlaneSnapshot,
  HostSnapshot,
  Snapshot,
} from '../instance/snapshot.ts';
import type { Guarded } from '../features/versions/version-guard.ts';
import { DEFAULT_ROLLOUT_LIMIT } from '../features/operator-rollout/rollout-order.ts';
import { previewMembers } from './plan-members.ts';
import { plannedEtcd, type PlanEtcdTools } from './plan-etcd.ts';
import { previewEtcdBootstrap } from './plan/preview-etcd-bootstrap.ts';
import { previewRounds, type Preparation } from './plan/preview-rounds.ts';
import { asReconciled, simulatePlan, type PlanSimulation } from './simulate-plan.ts';

export interface SimulationTools extends PlanEtcdTools {
  readonly templates: Templates;
  /** Loads the CRDs of a Karmada. */
  readonly archiveOf: (karmada: Karmada) => Promise<CrdArchive>;
}

type ArchiveLoader = (subject: Pick<Snapshot, 'karmada' | 'spec'>) => Promise<CrdArchive>;

interface Before {
  /** Current state; undefined for a new Karmada. */
  readonly present: SnapshotInput | undefined;
  /** Version changes that are blocked. */
  readonly blockedChanges: Guarded['blockedChanges'];
  readonly preparation: Preparation;
}

/**
 * Simulates what the operator would do.
 * @throws Error if an archive cannot be loaded; ApiError, NetworkError
 */
export async function simulate(
  given: SimulationTools,
  wanted: SnapshotInput,
  { present, blockedChanges, preparation }: Before,
): Promise<PlanSimulation> {
  const members = previewMembers(wanted);
  const input = { ...wanted, spec: members.spec };
  const tools = { ...given, archiveOf: loadOnce(given.archiveOf) };
  const [before, after] = await Promise.all([
    present && snapshotOf(tools, present),
    snapshotOf(tools, input),
  ]);
  const inside = before && { ...before, controlPlane: NOTHING_INSIDE };
  const controlPlane = withInside(
    inside ? desiredStateFor(tools, inside, input.view).desired.objects : [],
  );
  const start = { ...after, controlPlane, blockedVersions: blockedChanges };
  const { templates } = given;
  const { snapshot, ...prepared } = await previewRounds(templates, start, preparation, input.view);
  const etcdBootstrap = decidedBootstrap(snapshot) ?? previewEtcdBootstrap(input);
  const simulation = simulatePlan({
    ...desiredStateFor(tools, snapshot, input.view),
    snapshot: {
      ...snapshot,
      host: healthy(snapshot.host),
      ...(etcdBootstrap && { etcdBootstrap }),
    },
  });
  return {
    ...simulation,
    rounds: [...prepared.rounds, ...simulation.rounds],
    members: members.lines,
    blockedChanges: [
      ...lostData(etcdBootstrap),
      ...simulation.blockedChanges,
      ...members.blockedChanges,
    ],
  };
}

/** How a new etcd starts. If nothing forbids it, its StatefulSet is assumed to exist, so that nothing waits for it. */
const decidedBootstrap = ({ etcdBootstrap: decided }: Snapshot): EtcdBootstrap | undefined =>
  decided?.problem === undefined ? decided && withoutWait(decided) : decided;

const withoutWait = ({ awaited: _, ...bootstrap }: EtcdBootstrap): EtcdBootstrap => bootstrap;

const lostData = (bootstrap: EtcdBootstrap | undefined): readonly BlockedChange[] =>
  bootstrap?.problem === undefined ? [] : [{ step: 'etcd', ...bootstrap.problem }];

/** Desired state, by the decision of the operator. A user asks for the change, so it waits for no other rollout. */
function desiredStateFor(
  { templates }: Pick<SimulationTools, 'templates'>,
  snapshot: Snapshot,
  view: CertificatesView,
): DesiredState {
  const limit = DEFAULT_ROLLOUT_LIMIT;
  const rollout = { before: {}, isRequested: true, siblings: () => [], limit };
  const { desiredState } = decide(templates, { snapshot, view, rollout, reachability: new Map() });
  if (desiredState === undefined) throw new Error('no desired state without certificates');
  return desiredState;
}

/** Returns a loader that loads an archive once for all specs with the same source, also while it is being loaded. */
function loadOnce(archiveOf: SimulationTools['archiveOf']): ArchiveLoader {
  const archives = new Map<string, Promise<CrdArchive>>();
  return ({ karmada, spec }) => {
    const { namespace = '' } = karmada.metadata;
    const source = JSON.stringify(archiveSource(namespace, spec) ?? null);
    const archive = archives.get(source) ?? archiveOf({ ...karmada, spec });
    archives.set(source, archive);
    return archive;
  };
}

export interface SnapshotInput extends Pick<
  Snapshot,
  'karmada' | 'spec' | 'now' | 'host' | 'readyRecord' | 'rollback' | 'operatorNamespace'
> {
  readonly view: CertificatesView;
}

/** Current state; its control plane is assumed to be ready. */
async function snapshotOf(
  tools: PlanEtcdTools & { readonly archiveOf: ArchiveLoader },
  { view, ...subject }: SnapshotInput,
): Promise<Omit<Snapshot, 'controlPlane'>> {
  const { karmada, spec } = subject;
  const [archive, externalEtcd] = await Promise.all([
    tools.archiveOf({ karmada, spec }),
    plannedEtcd(tools, { karmada, spec }),
  ]);
  const estimators = ifEnabled(spec.components.karmadaSchedulerEstimator) !== undefined;
  return {
    ...subject,
    archive: { archive },
    certificates: { state: 'valid', view },
    // Member clusters change independently of the Karmada, so the preview keeps the present estimators.
    members: {
      state: estimators ? 'unknown' : 'off',
      message: '',
      members: [],
      credentials: new Map(),
      problems: new Map(),
      notes: new Map(),
    },
    ...(externalEtcd && { externalEtcd }),
  };
}

const NOTHING_INSIDE: ControlPlaneSnapshot = { state: 'ready', message: '', objects: [] };

/** Control plane with the objects that the current spec creates there; they are not read. */
const withInside = (desired: readonly DesiredObject[]): ControlPlaneSnapshot => ({
  ...NOTHING_INSIDE,
  objects: desired.filter(({ cluster }) => cluster === 'controlPlane').map(asReconciled),
});

/** Live objects with complete rollouts. */
const healthy = (host: HostSnapshot): HostSnapshot => ({
  ...host,
  objects: host.objects.map((object) => (isWorkload(object) ? withStatusOf(object) : object)),
});

/** Live workload with the status of a complete rollout. */
function withStatusOf(workload: Workload): KubernetesObject {
  const done = asReconciled({ cluster: 'host', step: 'etcd', object: workload, id: '', hash: '' });
  const { generation, annotations } = done.metadata;
  const kept = { ...annotations, ...workload.metadata.annotations };
  const metadata = { ...workload.metadata, annotations: kept, ...(generation && { generation }) };
  return { ...workload, metadata, status: done['status'] };
}
