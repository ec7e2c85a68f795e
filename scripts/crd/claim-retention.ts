import { object, text } from './schema.ts';

/** Schema of `spec.components.etcd.local.persistentVolumeClaimRetentionPolicy`, named as in a StatefulSet. */
export const claimRetention = object('Retention of the etcd PVCs. Can be changed at any time.', {
  whenDeleted: text(
    'Action when this object is deleted. Retain: keep the PVCs and the Secret that belongs to the data. Delete: delete both, and all data. Defaults to Retain.',
    { enum: ['Retain', 'Delete'] },
  ),
  whenScaled: text(
    'Action when an etcd member is removed. Retain: keep its PVC until a new member with that name starts without its data. Delete: delete it. Defaults to Retain.',
    { enum: ['Retain', 'Delete'] },
  ),
});
