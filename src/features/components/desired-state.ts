/** Desired state of a control plane at this moment. */
import type { EtcdMembership } from '../../components/component.ts';
import type { Templates } from '../../components/render.ts';
import { FORMER_REVISIONS } from '../../components/template-revision.ts';
import { sha256 } from '../../kubernetes/objects/intent.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import type { DesiredState } from '../../actions/planner.ts';
import { withFirstRollout } from '../adoption/first-rollout.ts';
import { withAutoscalers } from './autoscalers.ts';
import { withBudgetOwners } from './disruption-budgets.ts';
import {
  renderDesiredObjects,
  renderFormerWorkloads,
  type DesiredInput,
  type DesiredObjects,
  type Rendered,
} from '../../instance/desired-objects.ts';
import { keepCurrentConnection } from '../external-etcd/external-etcd-rollout-gate.ts';
import { trustOf } from '../external-etcd/external-etcd.ts';
import { withRunningImage } from '../etcd-members/adopt-etcd.ts';
import { withRestarts } from '../rotation/restart-pods.ts';
import { withUnsettledHashes } from '../rotation/unsettled-hashes.ts';
import { trustHashes, withInitialTrust } from '../etcd-members/etcd-trust.ts';
import { isFromGo } from '../etcd-members/member-facts.ts';
import { memberStep, peersOf } from '../etcd-members/read-facts.ts';
import { membershipOf as membersOf } from '../../etcd-cluster/pods/membership.ts';
import { etcdMembership } from '../etcd-storage/plan-etcd.ts';
import { keepRunningTemplate } from '../etcd-members/keep-running-template.ts';
import { needsFormer, withKeptTemplates } from './kept-templates.ts';
import { withPausedPropagation } from '../propagation/propagation.ts';
import { withStoppedClients } from '../etcd-recovery/stop-clients.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { estimatorTargets } from '../member-access/estimators.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { withAllowedPods } from './tenant-pods.ts';
import { withKeptCrds } from './order.ts';
import { withRenewedConnections } from './webhook-connection-drain.ts';

/**
 * Computes the desired state. Renders again only if an input has changed.
 * @param before result of an earlier call
 */
export function desiredStateOf(
  templates: Templates,
  snapshot: Snapshot,
  view: CertificatesView,
  before?: Rendered,
): DesiredState {
  const step = memberStep(snapshot);
  const membership = membershipOf(snapshot, step);
  const rendered = render(templates, { snapshot, view, membership }, before);
  const present = withKeptTemplates(rendered.desired, snapshot, rendered.former);
  const access = keepCurrentConnection(present, snapshot);
  const { blockedVersions = [] } = snapshot;
  const found = [...blockedVersions, ...blockedMemberChanges(snapshot, step), access.blockedChange];
  const trusting = withInitialTrust(access.desired, snapshot, view);
  const kept = KEEPING.reduce((desired, keep) => keep(desired, snapshot), trusting);
  const allowed = withAllowedPods(kept, snapshot);
  const desired = withBudgetOwners(allowed.desired, snapshot);
  const blockedChanges = [...found, ...allowed.blockedChanges].filter((one) => one !== undefined);
  return { desired, rendered, view, blockedChanges };
}

/** What is kept as it runs, or changed for a time, in this order. */
const KEEPING: readonly ((desired: DesiredObjects, snapshot: Snapshot) => DesiredObjects)[] = [
  withAutoscalers,
  keepRunningTemplate,
  withStoppedClients,
  withPausedPropagation,
  withRenewedConnections,
  withKeptCrds,
  withFirstRollout,
];

interface RenderedFrom {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView;
  readonly membership: EtcdMembership | undefined;
}

function render(
  templates: Templates,
  { snapshot, view, membership }: RenderedFrom,
  before: Rendered | undefined,
): Rendered {
  const { karmada, operatorNamespace } = snapshot;
  const spec = withRunningImage(snapshot.spec, snapshot);
  const { name, namespace = '' } = karmada.metadata;
  const archive = 'archive' in snapshot.archive ? snapshot.archive.archive : NO_CRDS;
  const estimators = estimatorTargets(snapshot);
  const etcdTrust = trustOf(snapshot);
  const { caBundle, externalServer } = view;
  const hashesOf = (hashes: CertificatesView['restartHashes']): typeof hashes =>
    withUnsettledHashes(withRestarts(trustHashes(hashes, snapshot), snapshot), snapshot);
  const restartHashes = hashesOf(view.restartHashes);
  const formerRestartHashes = hashesOf(view.formerRestartHashes);
  const hashes = [restartHashes, formerRestartHashes];
  const known = [name, namespace, spec, membership, caBundle, hashes, etcdTrust];
  const inputs = sha256(JSON.stringify([...known, estimators, externalServer, operatorNamespace]));
  const input: DesiredInput = {
    name,
    namespace,
    spec,
    archive,
    estimators,
    certificates: { ...view, restartHashes, formerRestartHashes },
    ...(membership && { etcdMembership: membership }),
    ...(etcdTrust && { etcdTrust }),
    ...optionalField('operatorNamespace', operatorNamespace),
  };
  const isSame = before?.inputs === inputs && before.archive === archive;
  const rendered = isSame
    ? before
    : { inputs, archive, desired: renderDesiredObjects(templates, input) };
  return withFormer(templates, input, rendered, snapshot);
}

/** Adds the workloads of former template revisions if one may run. All others are not kept in memory. */
function withFormer(
  templates: Templates,
  input: DesiredInput,
  rendered: Rendered,
  snapshot: Snapshot,
): Rendered {
  if (rendered.former !== undefined || !needsFormer(rendered.desired, snapshot)) return rendered;
  const former = FORMER_REVISIONS.map((revision) =>
    renderFormerWorkloads(templates, input, revision),
  );
  return { ...rendered, former };
}

/** Members of the running etcd, with the number of Pods that the next change of its members needs. */
function membershipOf(snapshot: Snapshot, step: MemberStep): EtcdMembership | undefined {
  const found = snapshot.etcdBootstrap?.membership ?? etcdMembership(snapshot);
  const running = found && withPeers(found, snapshot);
  if (running === undefined || step.kind !== 'scale') return running;
  return { ...running, ...membersOf(step.replicas, running.state) };
}

/** Members of an etcd of the Go operator run as root, and accept http until all of them can restart with https. */
const withPeers = (membership: EtcdMembership, snapshot: Snapshot): EtcdMembership => ({
  ...membership,
  ...(!isRestored(snapshot) && peersOf(snapshot) === 'http' && { peers: 'http' }),
  ...(isFromGo(snapshot) && { asRoot: true }),
});

/** Whether a recovery creates the etcd anew, with its data: no other member connects to its first one. */
const isRestored = ({ etcdBootstrap }: Snapshot): boolean =>
  etcdBootstrap?.isKept === true &&
  etcdBootstrap.recovery !== undefined &&
  etcdBootstrap.recovery.phase !== 'requested';

const blockedMemberChanges = (
  { etcdBootstrap }: Snapshot,
  step: MemberStep,
): readonly (BlockedChange | undefined)[] => [
  etcdBootstrap?.blockedChange,
  step.kind === 'blocked'
    ? { step: 'etcd', reason: step.reason, message: step.message }
    : undefined,
];

const NO_CRDS = { crds: [], problems: [] };
