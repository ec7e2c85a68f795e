/** Finds the spec that the operator applies: that of the Karmada, or the last ready one if that one failed. */
import { defaultSpec, type HostFacts } from '../../api/defaults/defaults.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { HostSnapshot, Snapshot } from '../../instance/snapshot.ts';
import { observeRollback } from '../rollback/observe-rollback.ts';
import { readyRecord } from '../../instance/ready-record.ts';
import { rollbackSpec } from '../../instance/rollback-spec.ts';
import { guardVersions } from './version-guard.ts';

export interface ResolveTools {
  /** Client of the host cluster. */
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly instance: Pick<InstanceCache, 'readySpec'>;
  /** Defaults that are not stored yet depend on the host cluster. */
  readonly facts: HostFacts;
}

export interface ResolveInput {
  readonly karmada: Karmada;
  /** Status that was written last. */
  readonly status: KarmadaStatus;
  readonly host: HostSnapshot;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

export type ResolvedSpec = Required<Pick<Snapshot, 'spec' | 'blockedVersions' | 'nextReleases'>> &
  Pick<Snapshot, 'readyRecord' | 'rollback'>;

/**
 * Returns the spec to apply, with defaults, and blocked versions replaced by the running ones.
 * @throws ApiError, NetworkError if the last ready spec is needed and cannot be read
 */
export async function resolveSpec(
  { client, instance, facts }: ResolveTools,
  { karmada, status, host, now }: ResolveInput,
): Promise<ResolvedSpec> {
  const record = readyRecord(host.objects, karmada);
  const rollback = await observeRollback(client, instance, { karmada, record, facts, now });
  const given = rollback ? rollbackSpec(rollback) : defaultSpec(karmada.spec, facts);
  const guarded = guardVersions(given, status, host, rollback !== undefined);
  return {
    spec: guarded.spec,
    blockedVersions: guarded.blockedChanges,
    nextReleases: guarded.nextReleases,
    ...(record && { readyRecord: record }),
    ...(rollback && { rollback }),
  };
}
