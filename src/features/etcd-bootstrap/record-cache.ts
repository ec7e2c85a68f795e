/** Checks whether the record of an etcd cluster is stored, although the cache may lag behind: pure. */
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { RecordMemo } from '../../instance/instance-cache.ts';
import { RECORD_ANNOTATION, type EtcdRecord } from '../../etcd-cluster/identity/record.ts';

/**
 * Cache entry for a record written to this version of the Secret. The write is conditional on this version, so no other
 * version predates it, and equality suffices to recognize a cache that is behind.
 */
export const recordMemo = (
  { metadata: { uid = '', resourceVersion = '' } }: KubernetesObject,
  record: EtcdRecord | undefined,
): RecordMemo => ({
  uid,
  shown: resourceVersion,
  value: record === undefined ? null : JSON.stringify(record),
});

/** Whether the record is stored. @param backup cached CA backup Secret */
export function isRecorded(
  backup: KubernetesObject,
  record: EtcdRecord,
  written: RecordMemo | undefined,
): boolean {
  const memo = recordMemo(backup, record);
  const { annotations } = backup.metadata;
  return annotations?.[RECORD_ANNOTATION] === memo.value || isDeepStrictEqual(written, memo);
}
