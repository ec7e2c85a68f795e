/** Whether the record of an etcd cluster is written already, though the cache may not show it yet: pure. */
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import type { RecordMemo } from '../../instance.ts';
import { RECORD_ANNOTATION, type EtcdRecord } from './record.ts';

/** What is remembered of a record that is written to this version of the Secret. */
export const recordMemo = (
  { metadata: { uid = '', resourceVersion = '' } }: KubernetesObject,
  record: EtcdRecord,
): RecordMemo => ({ uid, shown: resourceVersion, value: JSON.stringify(record) });

/** @param backup the Secret as the cache has it */
export function isNoted(
  backup: KubernetesObject,
  record: EtcdRecord,
  written: RecordMemo | undefined,
): boolean {
  const memo = recordMemo(backup, record);
  const { annotations } = backup.metadata;
  return annotations?.[RECORD_ANNOTATION] === memo.value || isDeepStrictEqual(written, memo);
}
