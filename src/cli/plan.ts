/** Previews the effect of a Karmada change on a running control plane. Uses only reads and dry runs. */
import type { Problem } from '../api/reasons/problem.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import { wantedVersions } from '../api/versions/wanted-versions.ts';
import type { Templates } from '../components/render.ts';
import { isWorkload } from '../components/workload.ts';
import type { CrdArchive } from '../controlplane/crds.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { Clock } from '../kubernetes/time/clock.ts';
import { nameOf } from '../kubernetes/objects/object.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { SecretRole } from '../pki/types.ts';
import { labelActions } from '../features/adoption/decide-adoption.ts';
import { readGoObjects } from '../features/adoption/read-adoption.ts';
import { viewOf } from '../features/certificates/certificates-view.ts';
import { dueSecrets } from '../features/certificates/write-secrets.ts';
import { karmadas } from '../host-clusters/host.ts';
import { etcdKindChange, hostChange } from '../features/remote-host/immutable-fields.ts';
import { COMPONENT, secretOf } from '../api/labels.ts';
import { hostReference } from '../host-clusters/host-reference.ts';
import { isRolledOut } from '../components/rollout.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import { resolveSpec, type ResolvedSpec } from '../features/versions/resolve-spec.ts';
import { simulate } from './simulate.ts';
import { previewedNamespace } from './operator-namespace.ts';
import { aboveHostLimit, hostFacts, hostSnapshot, openHost, type HostTools } from './plan-host.ts';
import { previewCertificates } from './plan/preview-certificates.ts';
import { previewEtcdData, previewRemote } from './plan/preview-host.ts';
import type { Preparation } from './plan/preview-rounds.ts';
import { previewBackup } from './plan-backup.ts';
import { failureText, rolledBackChanges } from './plan-rollback.ts';
import { restartedBy } from './plan-restarts.ts';
import { ungrantedSecrets } from './plan-secrets.ts';
import type { PlanFacts } from './plan-text.ts';
import type { Change, PlanSimulation } from './simulate-plan.ts';
import { appliedKarmada, patchedKarmada, withDefaults } from './preview.ts';

export interface PlanTools extends HostTools {
  readonly templates: Templates;
  readonly clock: Clock;
  readonly keys: KeyGenerator;
  readonly secretPolicy: SecretPolicy;
  /** Limit of the operator for the host clusters of a namespace. */
  readonly maxHostClusters: number;
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

/** Preview of a change: the simulated changes, and what else the user should know. */
export interface Preview {
  readonly simulation: PlanSimulation;
  readonly facts: PlanFacts;
}

/**
 * Returns the preview of a `kubectl apply` or `kubectl patch` of a Karmada.
 * @throws Error with a message for the user; ApiError if the API server rejects the Karmada
 */
export async function plan(tools: PlanTools, request: PlanRequest): Promise<Preview> {
  const { client } = tools;
  const { name, namespace = '' } = 'given' in request ? request.given.metadata : request;
  const live = await client.find(karmadas, { namespace, name });
  const changed =
    'given' in request
      ? await appliedKarmada(client, live, request.given)
      : await patchedKarmada(client, request, request.patch);
  refuse(live && hostChange(live, hostReference(changed) !== undefined));
  refuse(await aboveHostLimit(client, changed, tools.maxHostClusters));
  const host = await openHost(tools, changed);
  try {
    const clients = { management: client, host: host.client };
    const ungranted = await ungrantedSecrets(clients, changed, tools.secretPolicy);
    const onHost = { ...tools, client: host.client, management: client, ungranted };
    return await planOn(onHost, live, changed);
  } finally {
    await host.close();
  }
}

/** @throws Error for a change that the operator rejects even if the CRD accepts it */
function refuse(change: Problem | undefined): void {
  if (change !== undefined) throw new Error(change.message);
}

/** Tools with a client of the host cluster. */
interface HostPlanTools extends PlanTools, Pick<PlanFacts, 'ungranted'> {
  /** Client of the management cluster. */
  readonly management: KubernetesClient;
}

async function planOn(
  tools: HostPlanTools,
  live: Karmada | undefined,
  changed: Karmada,
): Promise<Preview> {
  const { client } = tools;
  const { name, namespace = '' } = changed.metadata;
  const host = await hostSnapshot(client, { name, namespace });
  const facts = await hostFacts(client, host.pods);
  const { status = {} } = live ?? {};
  refuse(etcdKindChange(changed, status, host.objects));
  const karmada = withDefaults(changed, facts);
  const now = tools.clock.wall();
  const resolved = (subject: Karmada): Promise<ResolvedSpec> =>
    resolveSpec({ client, facts, instance: {} }, { karmada: subject, status, host, now });
  const { blockedVersions, ...wanted } = await resolved(karmada);
  const subject = { karmada, spec: wanted.spec, host };
  const { view, issued, remarks, ...preparation } = await preparationOf(tools, subject);
  const seen = { host, view, now, ...(await previewedNamespace(client, [live, changed])) };
  const backup = await previewBackup(client, { karmada, status, host, now }, wanted);
  const present = live && { ...seen, karmada: live, spec: (await resolved(live)).spec };
  const holds = [...blockedVersions, ...backup.blockedChanges];
  const before = { present, preparation, blockedChanges: [...rolledBackChanges(wanted), ...holds] };
  const found = await simulate(tools, { ...seen, ...wanted, karmada }, before);
  const shown: PlanFacts = {
    name,
    namespace,
    issued,
    ...presentOf(status),
    to: wantedVersions(wanted.spec),
    next: wanted.nextReleases,
    restarted: await restartedBy(client, found, host),
    ungranted: tools.ungranted,
    backup: backup.lines,
    failure: failureText(karmada, wanted, status),
    remarks,
    suspended: karmada.spec?.suspend === true,
  };
  return { simulation: found, facts: shown };
}

/** Versions and etcd members before the change. */
const presentOf = ({
  versions = {},
  etcdCluster,
}: KarmadaStatus): Pick<PlanFacts, 'from' | 'etcdCluster'> => ({
  from: versions,
  ...(etcdCluster && { etcdCluster }),
});

interface Prepared extends Preparation, Pick<PlanFacts, 'remarks'> {
  readonly view: CertificatesView;
  readonly issued: readonly string[];
}

/** Reads the objects of the Go operator and the certificates, and issues in memory those that the operator would reissue. */
async function preparationOf(
  tools: HostPlanTools,
  subject: Pick<Snapshot, 'karmada' | 'spec' | 'host'>,
): Promise<Prepared> {
  const { karmada, host } = subject;
  const { name, namespace = '' } = karmada.metadata;
  const go = await readGoObjects(tools.client, { owned: host.objects }, karmada);
  const adoption = go ? labelActions({ karmada: { name, namespace }, ...go }) : [];
  const { inputs: pki, result, ...found } = await previewCertificates(tools, subject);
  if (result.outcome === 'blocked') throw new Error(result.message);
  const issued = result.plan.leaves
    .filter(({ action }) => action === 'issue')
    .map(({ name, message }) => `${name}: ${message}`);
  // An adoption adds the labels before.
  const unlabelled = go ? new Set<SecretRole>() : found.unlabelled;
  const secrets = dueSecrets(result.secrets, { ...found, unlabelled }).map(
    ({ name: called }): Change => ({
      what: found.live.has(called) ? 'change' : 'create',
      cluster: 'host',
      step: undefined,
      // Without the values.
      object: secretOf(karmada.metadata, called, {}),
    }),
  );
  const view = viewOf(pki, result, tools.clock);
  const clients = { management: tools.management, host: tools.client };
  const [remote, { data, unread }] = await Promise.all([
    previewRemote(clients, subject, tools.secretPolicy),
    previewEtcdData(tools.client, subject, view),
  ]);
  return {
    view,
    issued,
    adoption,
    pki,
    secrets,
    remote,
    etcdData: data,
    remarks: [...remarksOf(subject), ...(unread ? [`data of etcd: ${unread}`] : [])],
  };
}

function remarksOf({
  host: { objects },
  spec,
}: Pick<Snapshot, 'host' | 'spec'>): readonly string[] {
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
