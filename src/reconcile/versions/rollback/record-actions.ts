/** Decides what to record about the spec of a control plane: the last ready one, and a change that failed. Pure. */
import type { Karmada, KarmadaStatus } from '../../../api/karmada.ts';
import { rollsBack } from '../../../api/upgrade-policy.ts';
import type { Action } from '../../action.ts';
import type { Snapshot } from '../../snapshot.ts';
import { specHash } from '../../status/generic-clients.ts';
import { MAX_SPEC_BYTES, recordSecret, type ReadyRecord } from './record.ts';
import { failedStep, type ChangeState } from './step-deadline.ts';

export interface RecordInput extends ChangeState {
  readonly snapshot: ChangeState['snapshot'] & Pick<Snapshot, 'readyRecord' | 'rollback'>;
}

/**
 * Returns the write of the record, if one is due.
 * @param before status that was written last
 */
export function recordActions(input: RecordInput, before: KarmadaStatus): readonly Action[] {
  const { karmada, readyRecord, rollback, host } = input.snapshot;
  if (!rollsBack(karmada.spec ?? {}) || rollback !== undefined) return [];
  const hash = specHash(karmada);
  if (isReadyWith(karmada, before, hash)) {
    const isRecorded = readyRecord?.specHash === hash && readyRecord.failed === undefined;
    if (isRecorded || JSON.stringify(karmada.spec ?? {}).length > MAX_SPEC_BYTES) return [];
    const cached = recordSecret(host.objects, karmada);
    return [{ kind: 'recordReadySpec', karmada, ...(cached && { cached }) }];
  }
  const failed = failedStep(input, before);
  if (failed === undefined || !canReturn(failed.step, before, { readyRecord, hash })) return [];
  const cached = readyRecord?.secret;
  return cached === undefined
    ? []
    : [{ kind: 'recordFailedChange', cached, failed: { ...failed, specHash: hash } }];
}

const isReadyWith = (
  { metadata }: Karmada,
  { conditions = [], observedGeneration, appliedSpecHash }: KarmadaStatus,
  hash: string,
): boolean =>
  appliedSpecHash === hash &&
  observedGeneration === metadata.generation &&
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

/**
 * Whether the operator can roll a failed step back: a ready spec is recorded, this spec did not fail before, and etcd
 * would keep its version.
 */
export function canReturn(
  step: string,
  { upgrade }: KarmadaStatus,
  { readyRecord, hash }: { readonly readyRecord: ReadyRecord | undefined; readonly hash: string },
): boolean {
  if (readyRecord === undefined || readyRecord.specHash === hash) return false;
  if (readyRecord.failed?.specHash === hash) return false;
  const etcd = upgrade?.from?.etcd;
  return step !== 'etcd' || (etcd !== undefined && etcd === upgrade?.to?.etcd);
}
