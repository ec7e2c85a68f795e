/** Phase of a Karmada: summary of its conditions. */
export type Phase =
  | 'Pending'
  | 'Installing'
  | 'Running'
  | 'Updating'
  /** The operator blocks a change until the user acts. */
  | 'Blocked'
  | 'Degraded'
  | 'Failed'
  | 'Suspended'
  | 'Deleting';
