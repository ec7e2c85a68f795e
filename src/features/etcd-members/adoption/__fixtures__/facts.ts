/** Facts about an etcd of the Go operator that nothing blocks, with the consent of the user. */
import type { MemberFacts } from '../../../../etcd-cluster/members/facts.ts';
import type { AdoptedEtcdFacts } from '../facts.ts';

export const adoptedFacts = (
  members: MemberFacts,
  more: Partial<AdoptedEtcdFacts> = {},
): AdoptedEtcdFacts => ({
  karmada: { name: 'demo', namespace: 'team' },
  isConfirmed: true,
  hasGoTemplate: true,
  isDurable: true,
  keepsClaims: true,
  isRecorded: true,
  recordsHttps: false,
  unrecordedClaims: [],
  unsafeClaims: [],
  unowned: [],
  paused: [],
  missingRights: [],
  secret: 'Secret team/demo-etcd-cert',
  backup: 'demo-ca-backup',
  secretOwners: [],
  hasPeerCertificate: true,
  hasGoPods: false,
  members,
  ...more,
});
