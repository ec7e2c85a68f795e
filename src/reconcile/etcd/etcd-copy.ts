/**
 * The copy of a Secret that leads to an external etcd, for pods that cannot mount it where it is. It is made from a
 * Secret that was seen to work. Private keys live in here for as long as one call takes.
 */
import type { Problem } from '../../api/problem.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { ETCD_SECRET_FIELD, secretRefusal, type SecretPolicy } from '../../api/secret-grant.ts';
import { CREDENTIAL_KEYS, hashesOf, type Access } from '../../external-etcd/credentials.ts';
import type { Applier } from '../../kubernetes/apply.ts';
import type { KubernetesClient } from '../../kubernetes/contract.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { reducedValue, reduceSecret } from '../../kubernetes/reduce.ts';
import { resources } from '../../kubernetes/resources.ts';
import { isBegun } from './external-etcd.ts';
import type { CopyEtcdSecret } from '../action.ts';
import { isOurs, secretOf } from '../../api/labels.ts';
import type { ActOutcome, Done } from '../outcome.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../snapshot.ts';

export interface CopyTools {
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly applier: Pick<Applier, 'apply'>;
  readonly secretPolicy: SecretPolicy;
}

/** The action that makes the copy what the user's Secret is; none when it is, or nothing may be taken over. */
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
 * Copies the Secret, if it still is what was seen to work.
 * @param again called when it is not: it has to be looked at anew
 * @throws ApiError, NetworkError when a read or a write fails
 */
export async function copyEtcdSecret(
  { client, applier, secretPolicy }: CopyTools,
  karmada: Pick<Karmada, 'metadata'>,
  { secret, access }: CopyEtcdSecret,
  again: () => void,
): Promise<Done> {
  const source = await client.find(resources.Secret, secret.source);
  const data = (source?.['data'] ?? {}) as Readonly<Record<string, string>>;
  const hashes = hashesOf(data);
  if (CREDENTIAL_KEYS.some((name) => hashes[name] !== access.hashes[name])) {
    again();
    return { hold: { step: 'etcd', reason: SECRET_CHANGED, message: 'the Secret has changed' } };
  }
  const kept = Object.fromEntries(CREDENTIAL_KEYS.map((name) => [name, data[name] ?? '']));
  const copy = secretOf(karmada.metadata, secret.mounted, kept);
  const refusal = source && refusalOf(source, karmada, secretPolicy);
  const problem = refusal ?? (await write(applier, karmada.metadata.name, copy));
  return problem === undefined ? { writes: 1 } : { problem: { step: 'etcd', ...problem } };
}

const SECRET_CHANGED = 'EtcdSecretChanged';

/** The snapshot with what came of the copy. */
export function withCopied(
  snapshot: Snapshot,
  { problems, holds }: Pick<ActOutcome, 'problems' | 'holds'>,
): Snapshot {
  const { externalEtcd: etcd } = snapshot;
  if (etcd === undefined) return snapshot;
  if (holds.some(({ reason }) => reason === SECRET_CHANGED))
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
  applier: CopyTools['applier'],
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
