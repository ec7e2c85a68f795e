/** Previews the effect of a Karmada change on a running control plane. Uses only reads and dry runs. */
import type { Problem } from '../api/problem.ts';
import { ifEnabled } from '../api/addon.ts';
import { defaultSpec, type DefaultedSpec } from '../api/defaults.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { SecretPolicy } from '../api/secret-grant.ts';
import { wantedVersions } from '../api/wanted-versions.ts';
import type { Templates } from '../components/render.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import type { Clock } from '../kubernetes/clock.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import { decideCertificates } from '../reconcile/certificates/certificates.ts';
import { viewOf } from '../reconcile/certificates/certificates-view.ts';
import { decide } from '../reconcile/decide.ts';
import type { DesiredObject } from '../reconcile/desired-objects.ts';
import { karmadas } from '../host-clusters/host.ts';
import { etcdKindChange, hostChange } from '../reconcile/immutable-fields.ts';
import { COMPONENT } from '../api/labels.ts';
import { apiServerService, pkiInputs } from '../reconcile/certificates/pki-inputs.ts';
import { hostReference } from '../host-clusters/host-reference.ts';
import { isRolledOut } from '../reconcile/rollout.ts';
import type {
  CertificatesView,
  ControlPlaneSnapshot,
  HostSnapshot,
  Snapshot,
} from '../reconcile/snapshot.ts';
import { guardVersions, type Guarded } from '../reconcile/versions/version-guard.ts';
import type { DesiredState } from '../reconcile/desired-state.ts';
import { simulatePlan, asReconciled } from './simulate-plan.ts';
import { plannedEtcd } from './plan-etcd.ts';
import { hostFacts, hostSnapshot, openHost, type HostTools } from './plan-host.ts';
import { restartedBy } from './plan-restarts.ts';
import { ungrantedSecrets } from './plan-secrets.ts';
import { planText, type PlanFacts } from './plan-text.ts';
import { appliedKarmada, patchedKarmada, withDefaults } from './preview.ts';

export interface PlanTools extends HostTools {
  readonly templates: Templates;
  readonly clock: Clock;
  readonly keys: KeyGenerator;
  readonly secretPolicy: SecretPolicy;
  /** Loads the CRDs of a Karmada. */
  readonly archiveOf: (karmada: Karmada) => Promise<CrdArchive>;
}

interface Identity {
  readonly name: string;
  readonly namespace: string;
}

/** Complete Karmada as for `kubectl apply -f`, or merge patch as for `kubectl patch --type=merge`. */
export type PlanRequest =
  { readonly given: Karmada } | (Identity & { readonly patch: Readonly<Record<string, unknown>> });

/**
 * Returns the preview of a `kubectl apply` or `kubectl patch` of a Karmada, as text.
 * @throws Error with a message for the user; ApiError if the API server rejects the Karmada
 */
export async function plan(tools: PlanTools, request: PlanRequest): Promise<string> {
  const { client } = tools;
  const { name, namespace = '' } = 'given' in request ? request.given.metadata : request;
  const live = (await client.find(karmadas, { namespace, name })) as Karmada | undefined;
  const changed =
    'given' in request
      ? await appliedKarmada(client, live, request.given)
      : await patchedKarmada(client, request, request.patch);
  refuse(live && hostChange(live, hostReference(changed) !== undefined));
  const host = await openHost(tools, changed);
  try {
    const clients = { management: client, host: host.client };
    const ungranted = await ungrantedSecrets(clients, changed, tools.secretPolicy);
    return await planOn({ ...tools, client: host.client, ungranted }, live, changed);
  } finally {
    await host.close();
  }
}

/** @throws Error for a change that the operator rejects even if the CRD accepts it */
function refuse(change: Problem | undefined): void {
  if (change !== undefined) throw new Error(change.message);
}

/** @param tools with a client of the host cluster */
async function planOn(
  tools: PlanTools & Pick<PlanFacts, 'ungranted'>,
  live: Karmada | undefined,
  changed: Karmada,
): Promise<string> {
  const { client } = tools;
  const { name, namespace = '' } = changed.metadata;
  const [host, facts] = await Promise.all([
    hostSnapshot(client, { name, namespace }),
    hostFacts(client),
  ]);
  const { status = {} } = live ?? {};
  refuse(etcdKindChange(changed, status, host.objects));
  const karmada = withDefaults(changed, facts);
  const guard = (spec: Karmada['spec']): Guarded =>
    guardVersions(defaultSpec(spec, facts), status, host);
  const { spec, blockedChanges } = guard(karmada.spec);
  const { view, issued } = await certificatesOf(tools, { karmada, spec, host });
  const seen = { host, view, now: tools.clock.wall() };
  const decided = (snapshot: Snapshot): DesiredState =>
    wishIn(tools, snapshot, { view, before: status });
  const present =
    live && (await snapshotOf(tools, { ...seen, karmada: live, spec: guard(live.spec).spec }));
  const inside = present ? decided({ ...present, controlPlane: NOTHING_INSIDE }) : undefined;
  const snapshot = {
    ...(await snapshotOf(tools, { ...seen, karmada, spec })),
    controlPlane: withInside(inside?.desired.objects ?? []),
    versionHolds: blockedChanges,
  };
  const desiredState = decided(snapshot);
  const { desired, blockedChanges: blocked } = desiredState;
  const assumed = { ...snapshot, host: healthy(host) };
  const found = simulatePlan({ snapshot: assumed, view, desired, blockedChanges: blocked });
  return planText(found, {
    ...{ name, namespace },
    from: status.versions ?? {},
    to: wantedVersions(spec),
    restarted: await restartedBy(client, found, host),
    issued,
    ungranted: tools.ungranted,
    remarks: remarksOf(host, spec),
  });
}

interface Certificates {
  readonly view: CertificatesView;
  readonly issued: readonly string[];
}

/** Reads the certificates, and issues in memory those that the operator would reissue. */
async function certificatesOf(
  tools: PlanTools,
  subject: Pick<Snapshot, 'karmada' | 'spec' | 'host'>,
): Promise<Certificates> {
  const { client, clock, keys, secretPolicy } = tools;
  const { karmada, host } = subject;
  const service = apiServerService(karmada.metadata.name);
  const nodes = await client.list(resources.Node);
  const inputs = pkiInputs(
    subject,
    host.objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service),
    nodes.items,
  );
  const { result } = await decideCertificates(
    { host: { client }, clock, keys, secretPolicy },
    inputs,
    subject,
  );
  if (result.outcome === 'hold') throw new Error(result.message);
  const issued = result.plan.leaves
    .filter(({ action }) => action === 'issue')
    .map(({ name, message }) => `${name}: ${message}`);
  return { view: viewOf(inputs, result, clock), issued };
}

/** Desired state, by the decision of the operator. A user asks for the change, so it waits for no other rollout. */
function wishIn(
  { templates }: Pick<PlanTools, 'templates'>,
  snapshot: Snapshot,
  { view, before }: { readonly view: CertificatesView; readonly before: KarmadaStatus },
): DesiredState {
  const rollout = { before, asked: true, siblings: () => [], limit: { count: 1 } };
  const { desiredState } = decide(templates, { snapshot, view, rollout, ways: new Map() });
  if (desiredState === undefined) throw new Error('no desired state without certificates');
  return desiredState;
}

interface SnapshotInput extends Pick<Snapshot, 'karmada' | 'spec' | 'now' | 'host'> {
  readonly view: CertificatesView;
}

/** Current state; its control plane is assumed to be ready. */
async function snapshotOf(
  tools: PlanTools,
  { view, ...subject }: SnapshotInput,
): Promise<Omit<Snapshot, 'controlPlane'>> {
  const { karmada, spec } = subject;
  const [archive, externalEtcd] = await Promise.all([
    tools.archiveOf({ ...karmada, spec }),
    plannedEtcd(tools, { karmada, spec }),
  ]);
  const estimators = ifEnabled(spec.components.karmadaSchedulerEstimator) !== undefined;
  return {
    ...subject,
    archive: { archive },
    certificates: { state: 'valid', view },
    // Member clusters change independently of the Karmada, so the preview keeps the present estimators.
    members: {
      ...{ state: estimators ? 'unknown' : 'off', message: '', members: [] },
      ...{ credentials: new Map(), problems: new Map(), notes: new Map() },
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

function remarksOf({ objects }: HostSnapshot, spec: DefaultedSpec): readonly string[] {
  const rolling = objects.filter((object) => isWorkload(object) && !isRolledOut(object));
  const estimators = objects.some(
    ({ metadata }) => metadata.labels?.[COMPONENT] === 'karmada-scheduler-estimator',
  );
  return [
    ...rolling.map((object) => `${nameOf(object)}: rollout in progress, assumed complete`),
    ...(estimators ? ['estimators: they depend on the member clusters'] : []),
    ...(spec.components.etcd.external ? ['external etcd: health'] : []),
  ];
}
