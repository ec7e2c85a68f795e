import { object, text } from './schema.ts';

/** Schema of `spec.components.etcd.local.persistentVolumeClaimRetentionPolicy`, a StatefulSet's term. */
export const claimRetention = object(
  "What becomes of the members' claims. It may be changed at any time.",
  {
    whenDeleted: text(
      'When the Karmada is deleted: Retain keeps them, with the Secret that goes with their data; Delete deletes both, and with them all data. Default: Retain.',
      { enum: ['Retain', 'Delete'] },
    ),
  },
);
