/**
 * The copy of a Secret that leads to an external etcd, for pods that cannot mount it where it is. It is made from a
 * Secret that was seen to work. Private keys live in here for as long as one call takes.
 */
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { CREDENTIAL_KEYS, hashesOf, type Access } from '../../external-etcd/credentials.ts';
import type { ExternalEtcds } from '../../external-etcd/external-etcds.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { reducedValue, reduceSecret } from '../../kubernetes/reduce.ts';
import { resources } from '../../kubernetes/resources.ts';
import { isBegun } from './external-etcd.ts';
import type { Host } from '../host.ts';
import { isOurs, secretOf } from '../objects.ts';
import type { Problem } from '../status/pod-problems.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../snapshot.ts';

export interface CopyTools {
  readonly host: Host;
  readonly etcds: Pick<ExternalEtcds, 'again'>;
}

/**
 * Makes the copy what the user's Secret is, should it differ.
 * @param key `namespace/name` of the Karmada
 * @returns the snapshot with what came of it
 * @throws ApiError, NetworkError when a read or a write fails
 */
export async function keepCopy(
  { host, etcds }: CopyTools,
  key: string,
  snapshot: Snapshot,
): Promise<Snapshot> {
  const { externalEtcd: etcd, karmada } = snapshot;
  const access = etcd && dueAccess(snapshot, etcd);
  if (etcd === undefined || access === undefined) return snapshot;
  const source = await host.client.find(resources.Secret, etcd.secret.source);
  const data = (source?.['data'] ?? {}) as Readonly<Record<string, string>>;
  const hashes = hashesOf(data);
  if (CREDENTIAL_KEYS.some((name) => hashes[name] !== access.hashes[name])) {
    // It has changed since it was looked at.
    etcds.again(key);
    return { ...snapshot, externalEtcd: { ...etcd, check: undefined } };
  }
  const kept = Object.fromEntries(CREDENTIAL_KEYS.map((name) => [name, data[name] ?? '']));
  const copy = secretOf(karmada.metadata, etcd.secret.mounted, kept);
  const copyProblem = await write(host, karmada.metadata.name, copy);
  return copyProblem === undefined
    ? snapshot
    : { ...snapshot, externalEtcd: { ...etcd, copyProblem } };
}

/**
 * What the copy is to hold, when it holds something else. Credentials that nobody took do not replace others, but are
 * better than none.
 */
export function dueAccess(
  snapshot: Pick<Snapshot, 'karmada' | 'host'>,
  { secret, check, elder }: ExternalEtcdSnapshot,
): Access | undefined {
  const begun = isBegun(snapshot);
  if (!secret.copied || check === undefined || !('access' in check)) return undefined;
  if (elder !== undefined && !begun) return undefined;
  const copy = copyOf(snapshot);
  const allowed = check.outcome === 'served' || (begun && copy === undefined);
  return allowed && !holds(copy, check.access) ? check.access : undefined;
}

function copyOf({
  karmada,
  host,
}: Pick<Snapshot, 'karmada' | 'host'>): KubernetesObject | undefined {
  const name = instanceName(karmada.metadata.name, SECRET_SUFFIX.etcdClient);
  return host.objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
}

/** Whether a cached Secret, which has hashes in the place of values, is what it should be. */
function holds(copy: KubernetesObject | undefined, { hashes }: Access): boolean {
  const data = (copy?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return CREDENTIAL_KEYS.every((name) => data[name] === reducedValue(hashes[name]));
}

async function write(
  { applier }: Host,
  instance: string,
  desired: KubernetesObject,
): Promise<Problem | undefined> {
  const owns = (live: KubernetesObject): boolean => isOurs(live, instance);
  const result = await applier.apply({ desired, owns, reduce: reduceSecret });
  const reason = 'EtcdSecretNotCopied';
  if (result.outcome === 'terminating')
    return {
      reason,
      message: `Secret ${desired.metadata.name} is being deleted and is made anew when it is gone`,
    };
  return 'message' in result ? { reason, message: result.message } : undefined;
}
