/** Takes the snapshot for a reconcile: caches of the host cluster, and live reads where these do not suffice. */
import { hostNamespaceLabels } from '../../host-clusters/host-namespace.ts';
import { hostNamespaceRefusal, managementOf } from '../../host-clusters/namespace-access.ts';
import type { TenantPods } from '../../components/pod-security.ts';
import type { PodSecurityLevel } from '../../host-clusters/host-namespace.ts';
import { hostFactsOf } from '../../host-clusters/host-facts.ts';
import type { Archives } from '../../crd-archives/archives.ts';
import type { Karmada } from '../../api/karmada.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import type { InformerGroup } from '../../kubernetes/informer-group.ts';
import { isNodeReady } from '../../kubernetes/node.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Pod } from '../../kubernetes/pod-kinds.ts';
import {
  clusterUid,
  ownedBy,
  type Host,
  type ManagementCluster,
  type Remote,
} from '../../host-clusters/host.ts';
import { observeEvents, type EventTools } from '../../features/causes/observe-events.ts';
import { usesAdminKey } from '../../features/adoption/admin-key.ts';
import type { CertificatesMemo, InstanceCache } from '../../instance/instance-cache.ts';
import { observeControlPlane } from '../../features/control-plane/observe-control-plane.ts';
import { observeMembers } from '../../features/member-access/members.ts';
import {
  observeEtcdMembers,
  type EtcdMemberTools,
} from '../../features/etcd-members/etcd-members.ts';
import { claimsByUse } from '../../features/etcd-bootstrap/claims-by-use.ts';
import { withUpdatedMembers } from '../../etcd-cluster/pods/membership.ts';
import {
  nodesNamedIn,
  readVolumes,
  withoutStarting,
} from '../../etcd-cluster/pods/read-volumes.ts';
import { observeEtcd, type EtcdTools } from '../../features/external-etcd/observe-etcd.ts';
import { hostEndpointOf, hostReference, hostSecretOf } from '../../host-clusters/host-reference.ts';
import { furtherKinds } from '../../controlplane/flow-schema.ts';
import { kubeconfigCopy } from '../../features/remote-host/remote-host.ts';
import { authorityWarnings } from '../../features/certificates/secret-warnings.ts';
import {
  confirmSecrets,
  observeCertificates,
} from '../../features/certificates/observe-certificates.ts';
import { findApiServerService, pkiInputs } from '../../features/certificates/pki-inputs.ts';
import type { SecretPolicy, SecretRefusal } from '../../api/secret-grant.ts';
import { isBegun } from '../../features/external-etcd/external-etcd.ts';
import { probeServices } from '../../features/reachability/probe.ts';
import { currentStatus } from '../../features/status/status-writer.ts';
import {
  resolveSpec,
  type ResolvedSpec,
  type ResolveInput,
} from '../../features/versions/resolve-spec.ts';
import { observeRemovedValues } from '../../features/versions/observe-removed-values.ts';
import {
  observeUpgradeBackup,
  type BackupReader,
} from '../../features/upgrade-backup/observe-upgrade-backup.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { HostSnapshot, RemoteSnapshot, Snapshot } from '../../instance/snapshot.ts';

export interface ObserveTools extends EtcdTools, EtcdMemberTools, EventTools {
  readonly host: Host;
  readonly local: Pick<ManagementCluster, 'karmadas' | 'owned' | 'namespaces'> & {
    readonly client: BackupReader;
  };
  readonly archives: Pick<Archives, 'of'>;
  readonly clock: Clock;
  readonly secretPolicy: SecretPolicy;
  readonly tenantPods: TenantPods;
  /** Installation of the operator; absent if unknown. */
  readonly ownLease?: { readonly namespace: string };
  readonly hostPodSecurity: PodSecurityLevel;
  /** Reason why a new Karmada could not use the host cluster Secret that this Karmada uses. */
  readonly secretWarning?: SecretRefusal;
}

/** Snapshot for one reconcile, and the inputs of its certificates. */
export interface Observation {
  readonly snapshot: Snapshot;
  readonly pki: PkiInputs;
}

/** Reads the state of one control plane. Writes nothing. */
export async function observe(
  tools: ObserveTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<Observation> {
  const { host, archives, clock } = tools;
  await probe(instance, clock);
  const seen = observeHost(host, instance.key);
  const now = clock.wall();
  const { spec, ...resolved } = await resolvedSpec(tools, instance, { karmada, host: seen, now });
  const pki = observePki(host, { karmada, spec }, seen.objects, instance.certificates);
  const begun = isBegun({ karmada, host: seen });
  const [controlPlane, archive, authority] = await Promise.all([
    observeControlPlane(instance, karmada, seen),
    archives.of(karmada, spec),
    begun ? authorityWarnings(host, karmada, tools.secretPolicy) : [],
  ]);
  const secrets = seen.objects.filter(({ kind }) => kind === 'Secret');
  confirmSecrets(instance.certificates, secrets);
  const monotonic = clock.monotonic();
  const certificates = observeCertificates(instance.certificates, pki, { secrets, now, monotonic });
  const members = observeMembers(instance, { karmada, spec, host: seen }, controlPlane);
  const externalEtcd = observeEtcd(tools, instance.key, { karmada, spec });
  const remote = host.remote && remoteOf(host.remote, tools, karmada);
  const warnings = [tools.secretWarning, ...authority, externalEtcd?.check?.notGranted];
  const secretWarnings = warnings.filter((warning) => warning !== undefined);
  const parts = { ...(remote && { remote }), controlPlane, certificates, archive, ...members };
  const events = observeEvents(tools, instance);
  const reported = { secretWarnings, ...resolved, ...rightsOn(host, karmada), ...events };
  const installed = new Set(instance.settled.keys());
  const own = operatorFacts(tools);
  const there = { karmada, spec, now, host: seen, installed, ...own, ...reported, ...parts };
  const etcd = await observeLocalEtcd(tools, instance, { spec, host: seen, now });
  const etcds = { ...etcd, ...(externalEtcd && { externalEtcd }), ...upkeepOf(instance) };
  // Its caches start when its API server is ready.
  if (controlPlane.isAnswering || controlPlane.state === 'ready')
    instance.controlPlane?.start(furtherKinds(spec));
  return { snapshot: { ...there, ...etcds }, pki };
}

function operatorFacts({
  tenantPods,
  host,
  ownLease,
}: ObserveTools): Pick<Snapshot, 'tenantPods' | 'operatorNamespace'> {
  const isBeside = host.remote === undefined && ownLease !== undefined;
  return { tenantPods, ...(isBeside && { operatorNamespace: ownLease.namespace }) };
}

/** Members of a local etcd, and the volumes of those that are down. If these cannot be read, they are unknown. */
async function observeLocalEtcd(
  tools: ObserveTools,
  { key }: InstanceCache,
  seen: Pick<Snapshot, 'spec' | 'host' | 'now'>,
): Promise<Pick<Snapshot, 'etcd' | 'etcdVolumes'>> {
  const { client, nodes } = tools.host;
  const etcd = observeEtcdMembers(tools, key, seen);
  if (etcd === undefined) return {};
  // Without Nodes, a volume would seem to be on a node that is gone.
  if (nodes === undefined) return { etcd };
  const named = nodesNamedIn(nodes.cache.list());
  const pods = withoutStarting(seen.host.pods, seen.now);
  return readVolumes(client, { ...seen.host, pods }, named).then(
    (etcdVolumes) => ({ etcd, etcdVolumes }),
    () => ({ etcd }),
  );
}

const upkeepOf = ({ upkeep }: InstanceCache): Pick<Snapshot, 'etcdUpkeep'> =>
  upkeep === undefined
    ? {}
    : { etcdUpkeep: { ...upkeep, isRunning: upkeep.running !== undefined } };

/** Probes the Services that the last decision named. */
async function probe(instance: InstanceCache, clock: Clock): Promise<void> {
  const { reachability = new Map(), probes = [] } = instance;
  instance.reachability = await probeServices(reachability, probes, clock);
}

function remoteOf(
  { server }: Remote,
  { host, local, hostPodSecurity }: Pick<ObserveTools, 'host' | 'local' | 'hostPodSecurity'>,
  karmada: Karmada,
): RemoteSnapshot {
  const uid = clusterUid(host);
  const reference = hostReference(karmada);
  const { namespace: name = '' } = karmada.metadata;
  const kubeconfig = kubeconfigCopy(local, karmada);
  const namespaceWarning = hostNamespaceRefusal(host, local, karmada);
  return {
    server,
    secret: reference ? hostSecretOf(reference) : '',
    endpoint: hostEndpointOf(reference ?? {}, server),
    hasNamespace: host.namespaces?.cache.get({ name }) !== undefined,
    namespaceLabels: hostNamespaceLabels(managementOf(local, name), hostPodSecurity),
    ...(namespaceWarning && { namespaceWarning }),
    ...(uid && { uid }),
    ...(kubeconfig && { kubeconfig }),
  };
}

/** Permissions that the operator needs on the host cluster and does not have. */
const rightsOn = ({ rights }: Host, { metadata }: Karmada): Pick<Snapshot, 'missingRights'> => ({
  missingRights: rights.missingFor(metadata.namespace ?? ''),
});

async function resolvedSpec(
  { host, local, clock }: Pick<ObserveTools, 'host' | 'local' | 'clock'>,
  instance: InstanceCache,
  seen: Omit<ResolveInput, 'status'>,
): Promise<ResolvedSpec & Pick<Snapshot, 'upgradeBackup'>> {
  const facts = hostFactsOf(host);
  const input = { ...seen, status: currentStatus(instance, seen.karmada) };
  const resolved = await resolveSpec({ client: host.client, instance, facts }, input);
  const accepted = await observeRemovedValues({ clock }, instance, input, resolved);
  return observeUpgradeBackup(local.client, input, accepted);
}

function observeHost(host: Host, key: string): HostSnapshot {
  const pods = ownedBy([host.pods], key);
  const name = key.slice(key.indexOf('/') + 1);
  const objects = withUpdatedMembers(ownedBy(host.owned, key), pods, name);
  const claims = ownedBy([host.claims], key);
  const storageClasses = host.storageClasses?.cache.list();
  const byUse = claimsByUse(name, objects, claims);
  const nodes = host.nodes && { unreadyNodes: unreadyNodes(pods, host.nodes.cache) };
  const { ipFamily } = hostFactsOf(host);
  return {
    objects,
    pods,
    ...nodes,
    ...byUse,
    ...(ipFamily !== undefined && { ipFamily }),
    ...(storageClasses && { storageClasses }),
  };
}

/** Names of the nodes that run these Pods and do not report that they are ready. */
function unreadyNodes(
  pods: readonly Pod[],
  nodes: Pick<InformerGroup['cache'], 'get'>,
): readonly string[] {
  const names = pods.map((pod) => pod.spec?.nodeName);
  return [...new Set(names)].filter((name): name is string => {
    const node = name === undefined ? undefined : nodes.get({ name });
    return node !== undefined && !isNodeReady(node);
  });
}

function observePki(
  host: Host,
  subject: Pick<Snapshot, 'karmada' | 'spec'>,
  objects: readonly KubernetesObject[],
  memo: CertificatesMemo | undefined,
): PkiInputs {
  const service = findApiServerService(subject.karmada.metadata.name, objects);
  const inputs = pkiInputs(subject, service, host.nodes?.cache.list());
  const mayShare = memo === undefined || memo.view.sharesKey === true;
  return mayShare && usesAdminKey(objects) ? { ...inputs, holdsAdminPair: true } : inputs;
}
