/**
 * Copies the client Secret of an external etcd for Pods that cannot mount it from its namespace. The source must have
 * passed the health check. Private keys stay in memory only for the duration of one call.
 */
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import {
  ETCD_SECRET_FIELD,
  secretRefusal,
  type SecretPolicy,
} from '../../api/secrets/secret-grant.ts';
import { CREDENTIAL_KEYS, hashesOf, type Access } from '../../external-etcd/credentials.ts';
import type { Applier } from '../../kubernetes/apply/apply.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { reducedValue, hashSecretValues } from '../../kubernetes/objects/cache-transform.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { movedDataProblem } from './external-data.ts';
import { isBegun } from '../../instance/begun.ts';
import type { CopyEtcdSecret } from '../../actions/action.ts';
import { isOurs, secretOf } from '../../api/labels.ts';
import type { ExecutionResult, Done } from '../../actions/execution-result.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../../instance/snapshot.ts';

export interface CopyTools {
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly applier: Pick<Applier, 'apply'>;
  readonly secretPolicy: SecretPolicy;
}

/** Returns the action that updates the copy; none if it is up to date, or the source must not be used. */
export function copyEtcdSecretAction(
  snapshot: Pick<Snapshot, 'karmada' | 'host' | 'externalEtcd'>,
): readonly CopyEtcdSecret[] {
  const { externalEtcd: etcd } = snapshot;
  const access = etcd && dueAccess(snapshot, etcd);
  if (etcd === undefined || access === undefined) return [];
  const cached = copyOf(snapshot);
  return [{ kind: 'copyEtcdSecret', secret: etcd.secret, access, ...(cached && { cached }) }];
}

/**
 * Copies the Secret if its content is still what passed the health check.
 * @param again requests a new health check; called if the content has changed
 * @throws ApiError, NetworkError if a read or a write fails
 */
export async function syncClientSecretCopy(
  { client, applier, secretPolicy }: CopyTools,
  karmada: Pick<Karmada, 'metadata'>,
  { secret, access }: CopyEtcdSecret,
  again: () => void,
): Promise<Done> {
  const source = await client.find(resources.Secret, secret.source);
  const data = source?.data ?? {};
  const hashes = hashesOf(data);
  if (CREDENTIAL_KEYS.some((name) => hashes[name] !== access.hashes[name])) {
    again();
    const { namespace, name } = secret.source;
    const message = `Secret ${namespace}/${name}: changed after the health check; the operator repeats the check`;
    return { blockedChange: { step: 'etcd', reason: SECRET_CHANGED, message } };
  }
  const kept = Object.fromEntries(CREDENTIAL_KEYS.map((name) => [name, data[name] ?? '']));
  const copy = secretOf(karmada.metadata, secret.mounted, kept);
  const refusal = source && refusalOf(source, karmada, secretPolicy);
  const problem = refusal ?? (await write(applier, karmada.metadata.name, copy));
  return problem === undefined ? { writes: 1 } : { problem: { step: 'etcd', ...problem } };
}

const SECRET_CHANGED = 'EtcdSecretChanged';

/** Returns the snapshot with the result of the copy. */
export function withCopied(
  snapshot: Snapshot,
  { problems, blockedChanges }: Pick<ExecutionResult, 'problems' | 'blockedChanges'>,
): Snapshot {
  const { externalEtcd: etcd } = snapshot;
  if (etcd === undefined) return snapshot;
  if (blockedChanges.some(({ reason }) => reason === SECRET_CHANGED))
    return { ...snapshot, externalEtcd: { ...etcd, check: undefined } };
  const found = problems.find(({ step }) => step === 'etcd');
  if (found === undefined) return snapshot;
  const copyProblem = { reason: found.reason, message: found.message };
  return { ...snapshot, externalEtcd: { ...etcd, copyProblem } };
}

function refusalOf(
  { metadata }: KubernetesObject,
  { metadata: { name, namespace = '' } }: Pick<Karmada, 'metadata'>,
  policy: SecretPolicy,
): Problem | undefined {
  const use = { field: ETCD_SECRET_FIELD, user: { name, namespace } };
  return secretRefusal(metadata, use, policy);
}

/**
 * Returns the credentials to copy; undefined if the copy is up to date or must not change. Credentials that failed
 * the health check never replace others, but are better than a missing copy.
 */
export function dueAccess(
  snapshot: Pick<Snapshot, 'karmada' | 'host'>,
  externalEtcd: ExternalEtcdSnapshot,
): Access | undefined {
  const { secret, check, older } = externalEtcd;
  const begun = isBegun(snapshot);
  if (!secret.copied || check === undefined || !('access' in check)) return undefined;
  if (older !== undefined && !begun) return undefined;
  const copy = copyOf(snapshot);
  const allowed = isProven(snapshot, externalEtcd) || (begun && copy === undefined);
  return allowed && !blockedChanges(copy, check.access) ? check.access : undefined;
}

/** Whether the API servers may get the credentials: those that keep the current etcd need the current ones. */
const isProven = (
  snapshot: Pick<Snapshot, 'karmada' | 'host'>,
  externalEtcd: ExternalEtcdSnapshot,
): boolean =>
  externalEtcd.check?.outcome === 'served' &&
  movedDataProblem({ ...snapshot, externalEtcd }) === undefined;

function copyOf({
  karmada,
  host,
}: Pick<Snapshot, 'karmada' | 'host'>): KubernetesObject | undefined {
  const name = instanceName(karmada.metadata.name, SECRET_SUFFIX.etcdClient);
  return host.objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
}

/** Whether a cached Secret matches the credentials. The cache contains hashes instead of values. */
function blockedChanges(copy: Secret | undefined, { hashes }: Access): boolean {
  const data = copy?.data ?? {};
  return CREDENTIAL_KEYS.every((name) => data[name] === reducedValue(hashes[name]));
}

async function write(
  applier: CopyTools['applier'],
  instance: string,
  desired: KubernetesObject,
): Promise<Problem | undefined> {
  const owns = (live: KubernetesObject): boolean => isOurs(live, instance);
  const result = await applier.apply({ desired, owns, reduce: hashSecretValues });
  const reason = 'EtcdSecretNotCopied';
  if (result.outcome === 'terminating')
    return {
      reason,
      message: `Secret ${desired.metadata.name}: terminating; the operator recreates it after its deletion`,
    };
  return 'message' in result ? { reason, message: result.message } : undefined;
}
