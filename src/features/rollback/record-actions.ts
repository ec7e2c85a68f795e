/** Decides what to record about the spec of a control plane: the last ready one, and a change that failed. Pure. */
import type { Karmada, KarmadaStatus, UpgradeStatus } from '../../api/karmada.ts';
import { rollsBack } from '../../api/versions/upgrade-policy.ts';
import { reducedValue } from '../../kubernetes/objects/cache-transform.ts';
import { sha256 } from '../../kubernetes/objects/intent.ts';
import type { Action } from '../../actions/action.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { specHash } from '../../conditions/generic-clients.ts';
import {
  MAX_SPEC_BYTES,
  recordSecret,
  SPEC_KEY,
  specText,
  type ReadyRecord,
} from '../../instance/ready-record.ts';
import { failedStep, type ChangeState } from './step-deadline.ts';

export interface RecordInput extends ChangeState {
  readonly snapshot: ChangeState['snapshot'] & Pick<Snapshot, 'readyRecord' | 'rollback'>;
}

/**
 * Returns the write of the record, if one is due.
 * @param before status that was written last
 */
export function recordActions(input: RecordInput, before: KarmadaStatus): readonly Action[] {
  const { karmada, rollback } = input.snapshot;
  if (!rollsBack(karmada.spec ?? {}) || rollback !== undefined) return [];
  const hash = specHash(karmada);
  return isReadyWith(karmada, before, hash)
    ? readyActions(input.snapshot)
    : failureActions(input, before, hash);
}

function readyActions({ karmada, readyRecord, host }: RecordInput['snapshot']): readonly Action[] {
  const text = specText(karmada);
  const cached = recordSecret(host.objects, karmada);
  const { [SPEC_KEY]: stored } = cached?.data ?? {};
  const isStored = stored === reducedValue(sha256(text)) && readyRecord !== undefined;
  if (isStored && readyRecord.failed === undefined) return [];
  if (Buffer.byteLength(text) > MAX_SPEC_BYTES) return [];
  return [{ kind: 'recordReadySpec', karmada, ...(cached && { cached }) }];
}

function failureActions(
  input: RecordInput,
  before: KarmadaStatus,
  hash: string,
): readonly Action[] {
  const failed = failedStep(input, before);
  const { readyRecord } = input.snapshot;
  if (failed === undefined || readyRecord === undefined) return [];
  if (!canReturn(failed.step, before, { readyRecord, hash })) return [];
  const change = { ...failed, specHash: hash };
  return [{ kind: 'recordFailedChange', cached: readyRecord.secret, failed: change }];
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
  if (readyRecord === undefined) return false;
  const { specHash: ready, failed } = readyRecord;
  return ready !== hash && failed?.specHash !== hash && (step !== 'etcd' || keepsEtcd(upgrade));
}

const keepsEtcd = ({ from, to }: UpgradeStatus = {}): boolean =>
  from?.etcd !== undefined && from.etcd === to?.etcd;
