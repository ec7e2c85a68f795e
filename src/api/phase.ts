/** One word that sums up the conditions of a Karmada. */
export type Phase =
  | 'Pending'
  | 'Installing'
  | 'Running'
  | 'Updating'
  /** A change is held back until somebody acts. */
  | 'Blocked'
  | 'Degraded'
  | 'Failed'
  | 'Suspended'
  | 'Deleting';
