/** Where the CA backup Secret stores pairs of a CA besides the active one. No Pod mounts this Secret. */
import type { PairLocation } from './specs.ts';
import type { AuthorityName } from './types.ts';

/** Returns the location of the successor CA. */
export const successorLocation = (name: AuthorityName): PairLocation => ({
  secret: 'ca-backup',
  certificate: `${name}-successor.crt`,
  key: `${name}-successor.key`,
});

/** Returns the location of the predecessor of a CA. */
export const retiredLocation = (name: AuthorityName): PairLocation => ({
  secret: 'ca-backup',
  certificate: `${name}-retired.crt`,
  key: `${name}-retired.key`,
});

/** Returns the location of the leaf certificate that shows who still trusts the predecessor of a CA. */
export const probeLocation = (name: AuthorityName): PairLocation => ({
  secret: 'ca-backup',
  certificate: `${name}-probe.crt`,
  key: `${name}-probe.key`,
});
