/** Reads everything a pass needs, once: caches of the host, and live what no cache can tell. */
import type { Problem } from '../api/problem.ts';
import type { Archives } from '../archives/archives.ts';
import { defaultSpec, type DefaultedSpec } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import type { Clock } from '../kubernetes/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import {
  clusterUid,
  hasDefaultStorageClass,
  ownedBy,
  type Host,
  type Local,
  type Remote,
} from '../hosts/host.ts';
import type { ControlPlane } from './control-plane.ts';
import type { CertificatesMemo, Instance } from './instance.ts';
import { observeMembers } from './members/members.ts';
import { observeEtcdMembers, type EtcdMemberTools } from './etcd/etcd-members.ts';
import { withUpdatedMembers } from './etcd/membership.ts';
import { observeEtcd, type EtcdTools } from './etcd/observe-etcd.ts';
import { runningVersion } from './versions/observe-version.ts';
import { COMPONENT } from '../api/labels.ts';
import { podsText } from './pods-text.ts';
import { isPaused } from './pause.ts';
import { hostReference, hostSecretOf } from '../hosts/host-reference.ts';
import { kubeconfigCopy } from './remote/remote.ts';
import { authorityWarnings } from './secret-warnings.ts';
import { apiServerService, pkiInputs } from './certificates/pki-inputs.ts';
import type { SecretPolicy, SecretRefusal } from '../api/secret-grant.ts';
import { isBegun } from './etcd/external-etcd.ts';
import { apiServerAddresses } from './ways/route.ts';
import { currentStatus } from './status/status-writer.ts';
import { guardVersions } from './versions/version-guard.ts';
import type { PkiInputs } from '../pki/types.ts';
import type {
  CertificatesSnapshot,
  ControlPlaneSnapshot,
  HostSnapshot,
  RemoteSnapshot,
  Snapshot,
} from './snapshot.ts';
import { instanceName } from '../api/naming.ts';

export interface ObserveTools extends EtcdTools, EtcdMemberTools {
  readonly host: Host;
  readonly local: Pick<Local, 'karmadas' | 'owned'>;
  readonly archives: Pick<Archives, 'of'>;
  readonly clock: Clock;
  readonly secretPolicy: SecretPolicy;
  /** Why the Secret of the host would be refused if it were not in use. */
  readonly secretWarning?: SecretRefusal;
}

/** What one pass knows, and what its certificates depend on. */
export interface Observation {
  readonly snapshot: Snapshot;
  readonly pki: PkiInputs;
}

/** Reads all there is to know of one instance. Writes nothing. */
export async function observe(
  tools: ObserveTools,
  instance: Instance,
  karmada: Karmada,
): Promise<Observation> {
  const { host, archives, clock } = tools;
  const seen = observeHost(host, instance.key);
  const before = currentStatus(instance, karmada);
  const { spec, holds } = guardVersions(specOf(host, karmada), before, seen);
  const pki = observePki(host, { karmada, spec }, seen.objects);
  const begun = isBegun({ karmada, host: seen });
  const [controlPlane, archive, authority] = await Promise.all([
    observeControlPlane(instance, karmada, seen),
    archives.of(karmada, spec),
    begun ? authorityWarnings(host, karmada, tools.secretPolicy) : [],
  ]);
  const now = clock.wall();
  const certificates = observeCertificates(instance.certificates, pki, {
    secrets: seen.objects.filter(({ kind }) => kind === 'Secret'),
    now,
    monotonic: clock.monotonic(),
  });
  const members = observeMembers(instance, { karmada, spec }, controlPlane);
  const externalEtcd = observeEtcd(tools, instance.key, { karmada, spec });
  const etcd = observeEtcdMembers(tools, instance.key, { spec, host: seen, now });
  const where = {
    host: seen,
    ...(host.remote && { remote: remoteOf(host.remote, tools, karmada) }),
  };
  const secretWarnings = [
    ...(tools.secretWarning ? [tools.secretWarning] : []),
    ...authority,
    ...(externalEtcd?.check?.notGranted ? [externalEtcd.check.notGranted] : []),
  ];
  const parts = { ...where, controlPlane, certificates, archive, members };
  const told = { secretWarnings, versionHolds: holds, ...rightsOn(host, karmada) };
  const there = { karmada, spec, now, ...told, ...parts };
  const etcds = { ...(etcd && { etcd }), ...(externalEtcd && { externalEtcd }) };
  return { snapshot: { ...there, ...etcds }, pki };
}

function remoteOf(
  { server }: Remote,
  { host, local }: Pick<ObserveTools, 'host' | 'local'>,
  karmada: Karmada,
): RemoteSnapshot {
  const uid = clusterUid(host);
  const reference = hostReference(karmada);
  const { namespace: name = '' } = karmada.metadata;
  const kubeconfig = kubeconfigCopy(local, karmada);
  return {
    server,
    secret: reference ? hostSecretOf(reference) : '',
    hasNamespace: host.namespaces.cache.get({ name }) !== undefined,
    ...(uid && { uid }),
    ...(kubeconfig && { kubeconfig }),
  };
}

/** What the operator may not do there, and needs to. */
const rightsOn = ({ rights }: Host, { metadata }: Karmada): Pick<Snapshot, 'missingRights'> => ({
  missingRights: rights.missingFor(metadata.namespace ?? ''),
});

/** The spec with its defaults, as they are stored; what is not stored yet follows the host. */
function specOf(host: Host, karmada: Karmada): DefaultedSpec {
  return defaultSpec(karmada.spec, { defaultStorageClass: hasDefaultStorageClass(host) });
}

function observeHost(host: Host, key: string): HostSnapshot {
  const pods = ownedBy([host.pods], key);
  return {
    objects: withUpdatedMembers(ownedBy(host.owned, key), pods),
    pods,
    claims: ownedBy([host.claims], key),
  };
}

function observePki(
  host: Host,
  subject: Pick<Snapshot, 'karmada' | 'spec'>,
  objects: readonly KubernetesObject[],
): PkiInputs {
  const name = apiServerService(subject.karmada.metadata.name);
  const service = objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === name,
  );
  return pkiInputs(subject, service, host.nodes.cache.list());
}

/** The cache may be behind our own writes for so long, in milliseconds. */
export const CACHE_GRACE_MS = 3_000;

/** Whether the Secrets still are what was made, by their hashes, from inputs that still hold. */
function observeCertificates(
  memo: CertificatesMemo | undefined,
  inputs: PkiInputs,
  seen: {
    readonly secrets: readonly KubernetesObject[];
    readonly now: number;
    readonly monotonic: number;
  },
): CertificatesSnapshot {
  if (memo === undefined) return { state: 'due', reason: 'they have not been read yet' };
  const due = (reason: string): CertificatesSnapshot => ({ state: 'due', reason, last: memo.view });
  if (memo.inputs !== JSON.stringify(inputs)) return due('what they depend on has changed');
  if (seen.now >= memo.view.checkAt) return due('some are due for renewal');
  const changed = changedSecret(memo, seen.secrets);
  const fresh = seen.monotonic - memo.writtenAt < CACHE_GRACE_MS;
  if (changed !== undefined && !fresh) return due(`Secret ${changed} is missing or has changed`);
  return { state: 'valid', view: memo.view };
}

/** The first Secret whose cached hashes lack something of what was written. */
export function changedSecret(
  memo: Pick<CertificatesMemo, 'secrets'>,
  secrets: readonly KubernetesObject[],
): string | undefined {
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret]));
  return [...memo.secrets].find(([name, wanted]) => {
    const secret = byName.get(name);
    if (secret !== undefined && isPaused(secret)) return false;
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    return Object.entries(wanted).some(([key, hash]) => data[key] !== hash);
  })?.[0];
}

const UNREAD: ControlPlaneSnapshot = {
  state: 'syncing',
  message: 'it has not been read yet',
  objects: [],
};

const waiting = (message: string, problem?: Problem): ControlPlaneSnapshot => ({
  state: 'waiting',
  message,
  objects: [],
  ...(problem && { problem }),
});

/** Why what was read of it does not count; undefined when it does. */
function unusableOf({ overflow, stale }: ControlPlane): ControlPlaneSnapshot | undefined {
  if (overflow !== undefined)
    return waiting(overflow, { reason: 'ControlPlaneLimitExceeded', message: overflow });
  if (stale === undefined) return undefined;
  const message = `the control plane cannot be observed: ${stale}; check its API server`;
  return { ...UNREAD, message, unobserved: { reason: 'ControlPlaneNotObserved', message } };
}

const isApiServer = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[COMPONENT] === 'karmada-apiserver';

async function observeControlPlane(
  instance: Instance,
  karmada: Karmada,
  { objects, pods }: HostSnapshot,
): Promise<ControlPlaneSnapshot> {
  const { controlPlane } = instance;
  const name = instanceName(karmada.metadata.name, 'apiserver');
  const workload = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
  );
  if (controlPlane === undefined) return UNREAD;
  if (apiServerAddresses(pods).length === 0) return waiting('no pod of karmada-apiserver runs yet');
  if (!controlPlane.started || controlPlane.problem !== undefined) {
    const readiness = controlPlane.readiness.look(podsText(pods.filter(isApiServer)));
    if (readiness === 'unknown') return UNREAD;
    if (readiness !== 'ready') {
      const { message, problem, listens } = readiness.refusal;
      return { ...waiting(message, problem), ask: true, ...(listens && { listens }) };
    }
    controlPlane.start();
  }
  const unusable = unusableOf(controlPlane);
  if (unusable !== undefined) return unusable;
  const version = await runningVersion(instance, controlPlane, { workload, pods });
  if (!controlPlane.hasSynced) return { ...UNREAD, ...version };
  return { state: 'ready', message: '', objects: controlPlane.objects(), ...version };
}
