/** Syntax of the fields of a manifest and of the result of a Pod, whose writer may not be the operator. */
import { fields, listOf, matching, type Check } from '../../untrusted/checks.ts';
import type { BackedUpEtcd } from './manifest-type.ts';

export const IDENTIFIER = matching(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/);
export const VERSION = matching(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,99}$/);
export const TIME = matching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/);
const ETCD_ID = matching(/^[0-9a-f]{1,16}$/);
const DECIMAL = matching(/^(0|[1-9]\d{0,19})$/);
/** Revision of the last compaction; etcd reports -1 before the first one. */
const COMPACT_REVISION = matching(/^(-1|0|[1-9]\d{0,18})$/);
export const DIGEST = matching(/^[0-9a-f]{64}$/);
/** As Kubernetes allows in `data` of a Secret, without names that the kubelet uses itself (`..data`). */
export const KEY_ID = matching(/^\.?[-_A-Za-z0-9][-._A-Za-z0-9]{0,251}$/);
export const SIZE: Check<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** State of etcd in a manifest, and in the result of a Pod. */
export const ETCD: Check<BackedUpEtcd> = fields({
  version: VERSION,
  clusterID: ETCD_ID,
  memberID: ETCD_ID,
  revision: DECIMAL,
  keys: DECIMAL,
  hashes: listOf(fields({ hash: DECIMAL, compactRevision: COMPACT_REVISION }), {
    least: 1,
    most: 2,
  }),
});
