/**
 * Certificates in Secrets whose repair a user has paused. The operator does not write these Secrets: new certificates for them would
 * exist only in memory, be different in each reconcile, and restart the components that read them. Pure functions.
 */
import { instanceName } from '../../api/naming.ts';
import { isPaused, PAUSE_REPAIR } from '../../instance/pause.ts';
import { wantedLeaves } from '../../pki/inventory.ts';
import { secretRoles } from '../../pki/secrets-read.ts';
import type { LeafName, PkiInputs, SecretRole } from '../../pki/types.ts';
import type { FoundSecrets } from './write-secrets.ts';

/** Returns the Secrets that are paused, as they were read just now. */
export const pausedRoles = (
  inputs: PkiInputs,
  { live }: Pick<FoundSecrets, 'live'>,
): ReadonlySet<SecretRole> =>
  new Set(
    secretRoles(inputs).filter((role) => {
      const secret = live.get(instanceName(inputs.name, role));
      return secret !== undefined && isPaused(secret);
    }),
  );

/** Returns why the operator does not write a paused Secret. */
export const pauseReason = ({ name }: PkiInputs, role: SecretRole): string =>
  `Secret ${instanceName(name, role)} has the annotation ${PAUSE_REPAIR}=true; remove the annotation`;

/** Returns why certificates of paused Secrets are not reissued, by certificate. */
export function blockedByPause(
  inputs: PkiInputs,
  paused: ReadonlySet<SecretRole>,
): ReadonlyMap<LeafName, string> {
  return new Map(
    wantedLeaves(inputs).flatMap(({ name, stored }) => {
      const secrets = name === 'admin-client' ? ADMIN : stored.map(({ secret }) => secret);
      const role = secrets.find((secret) => paused.has(secret));
      return role === undefined ? [] : [[name, pauseReason(inputs, role)] as const];
    }),
  );
}

/** The Secret whose kubeconfig contains the certificate of administrators. */
const ADMIN: readonly SecretRole[] = ['admin-config'];
