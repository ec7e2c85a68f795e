/** Finds out whether the operator rolled the present spec back, and what it returns to. */
import { defaultSpec, type HostFacts } from '../../api/defaults/defaults.ts';
import type { Karmada } from '../../api/karmada.ts';
import { rollsBack, stepDeadlineMs } from '../../api/versions/upgrade-policy.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { specHash } from '../../conditions/generic-clients.ts';
import type { ReadyRecord } from '../../instance/ready-record.ts';
import { changedFields, type Rollback } from '../../instance/rollback-spec.ts';
import { readReadySpec } from './write-record.ts';

export interface RollbackSubject {
  readonly karmada: Karmada;
  readonly record: ReadyRecord | undefined;
  /** Wall clock, milliseconds. */
  readonly now: number;
  readonly facts: HostFacts;
}

/**
 * Returns the rollback of the present spec.
 * @returns undefined if this spec did not fail, or a failed change stops (`onFailure: Halt`)
 * @throws ApiError, NetworkError if the last ready spec cannot be read, so that the operator applies no other spec
 */
export async function observeRollback(
  client: Pick<KubernetesClient, 'find'>,
  instance: Pick<InstanceCache, 'readySpec'>,
  { karmada, record, now, facts }: RollbackSubject,
): Promise<Rollback | undefined> {
  const { spec = {} } = karmada;
  const failed = record?.failed;
  const isFailed = rollsBack(spec) && failed?.specHash === specHash(karmada);
  if (record === undefined || failed === undefined || !isFailed) return undefined;
  const lastReady = await readReadySpec(client, instance, record);
  if (lastReady === undefined) return undefined;
  const changed = changedFields(lastReady, spec);
  const specs = { lastReady: defaultSpec(lastReady, facts), target: defaultSpec(spec, facts) };
  const isOverdue = now - parseTime(failed.at) > stepDeadlineMs(spec);
  return { failed, ...specs, changed, isOverdue };
}
