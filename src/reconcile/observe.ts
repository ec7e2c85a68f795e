/** Reads everything a pass needs, once: caches of the host, and live what no cache can tell. */
import type { Archives } from '../archives/archives.ts';
import { defaultSpec, type DefaultedSpec } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import type { Clock } from '../kubernetes/clock.ts';
import { errorText, NetworkError } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { resources } from '../kubernetes/resources.ts';
import type { ControlPlane } from './control-plane.ts';
import { clusterUid, hasDefaultStorageClass, ownedBy, type Host, type Remote } from './host.ts';
import type { CertificatesMemo, Instance } from './instance.ts';
import { observeMembers } from './members/members.ts';
import { observeEtcd, type EtcdTools } from './etcd/observe-etcd.ts';
import { runningVersion } from './versions/observe-version.ts';
import { isPaused } from './pause.ts';
import { apiServerService, pkiInputs } from './certificates/pki-inputs.ts';
import type { Problem } from './status/pod-problems.ts';
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

export interface ObserveTools extends EtcdTools {
  readonly host: Host;
  readonly archives: Pick<Archives, 'of'>;
  readonly clock: Clock;
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
  const { spec, holds } = guardVersions(specOf(host, karmada), before, seen.objects);
  const pki = observePki(host, { karmada, spec }, seen.objects);
  const [controlPlane, archive] = await Promise.all([
    observeControlPlane(instance, karmada, seen),
    archives.of(karmada, spec),
  ]);
  const now = clock.wall();
  const certificates = observeCertificates(instance.certificates, pki, {
    secrets: seen.objects.filter(({ kind }) => kind === 'Secret'),
    now,
    monotonic: clock.monotonic(),
  });
  const members = observeMembers(instance, { karmada, spec }, controlPlane);
  const externalEtcd = observeEtcd(tools, instance.key, { karmada, spec });
  const where = { host: seen, ...(host.remote && { remote: remoteOf(host.remote, host) }) };
  const parts = { ...where, controlPlane, certificates, archive, members };
  const there = { karmada, spec, versionHolds: holds, now, ...parts };
  return { snapshot: { ...there, ...(externalEtcd && { externalEtcd }) }, pki };
}

function remoteOf({ server }: Remote, host: Host): RemoteSnapshot {
  const uid = clusterUid(host);
  return { server, ...(uid && { uid }) };
}

/** The spec with its defaults, as they are stored; what is not stored yet follows the host. */
export function specOf(host: Host, karmada: Karmada): DefaultedSpec {
  return defaultSpec(karmada.spec, { defaultStorageClass: hasDefaultStorageClass(host) });
}

function observeHost(host: Host, key: string): HostSnapshot {
  return {
    objects: ownedBy(host.owned, key),
    pods: ownedBy([host.pods], key),
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
export function observeCertificates(
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
    const refusal = await askReadiness(controlPlane);
    if (refusal !== undefined) return refusal;
    controlPlane.start();
  }
  const version = await runningVersion(instance, controlPlane, { workload, pods });
  if (!controlPlane.hasSynced) return { ...UNREAD, ...version };
  return { state: 'ready', message: '', objects: controlPlane.objects(), ...version };
}

/** An API server that waits for its etcd takes a request and keeps it; the next one may be answered at once. */
const READYZ_TIMEOUT_MS = 1_000;

/**
 * Everything /readyz asks for but Kubernetes' own roles and priority classes, which come last and which
 * our objects do not need.
 */
const READYZ =
  '/readyz?exclude=poststarthook/rbac/bootstrap-roles&exclude=poststarthook/scheduling/bootstrap-system-priority-classes';

/** Asks /readyz. @returns undefined when it is ready */
async function askReadiness(controlPlane: ControlPlane): Promise<ControlPlaneSnapshot | undefined> {
  try {
    const answer = await controlPlane.client.raw(READYZ, { timeoutMs: READYZ_TIMEOUT_MS });
    if (answer.status === 200) return undefined;
    const message = `its API server answers /readyz with ${answer.status}`;
    return { ...waiting(message), ask: true, listens: true };
  } catch (error) {
    const unresolved = error instanceof NetworkError && UNRESOLVED.has(error.code);
    if (!unresolved) return { ...waiting(`it cannot be reached: ${errorText(error)}`), ask: true };
    const problem = {
      reason: 'NameNotResolved',
      message: `the Service of karmada-apiserver cannot be found by its DNS name (${errorText(error)}): check spec.hostCluster.networking.dnsDomain and the cluster's DNS`,
    };
    return { ...waiting(problem.message, problem), ask: true };
  }
}

const UNRESOLVED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Kinds of which a live list must be empty before an instance counts as gone. */
export const OWNED_KINDS = [
  resources.Deployment,
  resources.StatefulSet,
  resources.Service,
  resources.PodDisruptionBudget,
  resources.Secret,
] as const;
