/** What a change of a Karmada would do to a running instance: reads and dry runs, and nothing else. */
import type { Problem } from '../api/problem.ts';
import { defaultSpec, type DefaultedSpec } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import { instanceName } from '../api/naming.ts';
import type { SecretPolicy } from '../api/secret-grant.ts';
import { wantedVersions } from '../api/wanted-versions.ts';
import type { EtcdMembership } from '../components/component.ts';
import type { Templates } from '../components/render.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import type { Clock } from '../kubernetes/clock.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import { withAutoscalers } from '../reconcile/autoscalers.ts';
import { decideCertificates } from '../reconcile/certificates/certificates.ts';
import { viewOf } from '../reconcile/certificates/certificates-view.ts';
import { desired, type Desired } from '../reconcile/desired.ts';
import { trustIn } from '../reconcile/etcd/external-etcd.ts';
import { karmadas } from '../hosts/host.ts';
import { etcdKindChange, hostChange } from '../reconcile/immutable-fields.ts';
import { COMPONENT } from '../api/labels.ts';
import { apiServerService, pkiInputs } from '../reconcile/certificates/pki-inputs.ts';
import { etcdMembership, replicasHold } from '../reconcile/etcd/plan-etcd.ts';
import { hostReference } from '../hosts/host-reference.ts';
import { withPresentEtcd } from '../reconcile/etcd/present-etcd.ts';
import { isRolledOut } from '../reconcile/rollout.ts';
import type { CertificatesView, HostSnapshot, Snapshot } from '../reconcile/snapshot.ts';
import { guardVersions, type Guarded } from '../reconcile/versions/version-guard.ts';
import { forecast, settled } from './forecast.ts';
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
  /** CRDs that a Karmada asks for. */
  readonly archiveOf: (karmada: Karmada) => Promise<CrdArchive>;
}

interface Identity {
  readonly name: string;
  readonly namespace: string;
}

/** A whole Karmada, as `kubectl apply -f` takes it, or a change of one, as `kubectl patch --type=merge` does. */
export type Wanted =
  { readonly given: Karmada } | (Identity & { readonly patch: Readonly<Record<string, unknown>> });

/**
 * What would happen after `kubectl apply` or `kubectl patch` of a Karmada, as text.
 * @throws Error with the cause, for the user; ApiError when the API server refuses the Karmada
 */
export async function plan(tools: PlanTools, wanted: Wanted): Promise<string> {
  const { client } = tools;
  const { name, namespace = '' } = 'given' in wanted ? wanted.given.metadata : wanted;
  const live = (await client.find(karmadas, { namespace, name })) as Karmada | undefined;
  const changed =
    'given' in wanted
      ? await appliedKarmada(client, live, wanted.given)
      : await patchedKarmada(client, wanted, wanted.patch);
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

/** @throws Error for a change that the operator does not carry out, should the CRD let it pass */
function refuse(change: Problem | undefined): void {
  if (change !== undefined) throw new Error(change.message);
}

/** @param tools with a client of the cluster that the control plane is in */
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
  const { spec, holds } = guard(karmada.spec);
  const { view, issued } = await certificatesOf(tools, { karmada, spec, host });
  const membership = etcdMembership({ karmada, host });
  const wishFor = wishing(tools, host, { view, membership });
  const before = live && (await wishFor(live, guard(live.spec).spec));
  const wish = await wishFor(karmada, spec);
  const snapshot = snapshotOf({ karmada, spec, host, view, before, now: tools.clock.wall() });
  const replicas = replicasHold(membership, spec.components.etcd.local?.replicas);
  const found = forecast({
    snapshot: { ...snapshot, archive: { archive: wish.archive } },
    desired: wish.desired,
    view,
    holds: [...holds, ...(replicas ? [replicas] : [])],
  });
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

/** Reads the certificates and issues in memory what would be issued. */
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

interface Wish {
  readonly desired: Desired;
  readonly archive: CrdArchive;
}

function wishing(
  { templates, archiveOf }: PlanTools,
  host: HostSnapshot,
  { view, membership }: Pick<SnapshotInput, 'view'> & { membership: EtcdMembership | undefined },
): (karmada: Karmada, spec: DefaultedSpec) => Promise<Wish> {
  return async (karmada, spec) => {
    const { name, namespace = '' } = karmada.metadata;
    const archive = await archiveOf({ ...karmada, spec });
    const server = host.objects.find(
      ({ kind, metadata }) =>
        kind === 'Deployment' && metadata.name === instanceName(name, 'apiserver'),
    );
    const etcdTrust = server && trustIn(server);
    const input = {
      ...{ name, namespace, spec, archive, certificates: view },
      ...(membership && { etcdMembership: membership }),
      ...(etcdTrust && { etcdTrust }),
    };
    const wish = withAutoscalers(desired(templates, input), { host });
    return { desired: withPresentEtcd(wish, { karmada, host }), archive };
  };
}

interface SnapshotInput extends Pick<Snapshot, 'karmada' | 'spec' | 'now' | 'host'> {
  readonly view: CertificatesView;
  readonly before: Wish | undefined;
}

/** The instance as it is, taken for healthy; inside the control plane is what its present spec puts there. */
function snapshotOf({ view, before, host, ...subject }: SnapshotInput): Omit<Snapshot, 'archive'> {
  const inside = before?.desired.objects.filter(({ place }) => place === 'controlPlane') ?? [];
  const healthy = host.objects.map((object) =>
    isWorkload(object) ? withStatusOf(object) : object,
  );
  return {
    ...subject,
    host: { ...host, objects: healthy },
    controlPlane: { state: 'ready', message: '', objects: inside.map(settled) },
    certificates: { state: 'valid', view },
    // They come and go by themselves; nobody asks for them here.
    members: {
      ...{ state: 'unknown', message: '', members: [] },
      ...{ credentials: new Map(), problems: new Map(), notes: new Map() },
    },
  };
}

/** A live workload whose rollout is done. */
function withStatusOf(workload: Workload): KubernetesObject {
  const done = settled({ place: 'host', step: 'etcd', object: workload, id: '', hash: '' });
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
    ...rolling.map((object) => `${nameOf(object)} is being rolled out and is taken for done`),
    ...(estimators ? ['estimators, which follow the members'] : []),
    ...(spec.components.etcd.external ? ['whether the external etcd serves'] : []),
  ];
}
