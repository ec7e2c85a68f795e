/** What the record of the rotations demands of the certificates: pure. */
import { optionalField } from '../../kubernetes/objects/records.ts';
import type { EnsureRequest, SecretWrite } from '../../pki/ensure.ts';
import { NEW_KEY } from '../../pki/key-plan.ts';
import type { SecretRole } from '../../pki/types.ts';
import { pkiPlansIn, type PkiPlans } from '../rotation/pki-plans.ts';
import type { WriteOrder } from './write-secrets.ts';

/** In a rotation, the CA backup Secret comes last: its keys explain what a crash leaves in the other ones. */
export const inOrder = (
  secrets: readonly SecretWrite[],
  rotation: string | undefined,
): WriteOrder =>
  pkiPlansIn(rotation).isRotating
    ? { secrets: secrets.filter(isNoBackup), last: secrets.find((one) => !isNoBackup(one)) }
    : { secrets };

const isNoBackup = ({ role }: SecretWrite): boolean => role !== 'ca-backup';

/**
 * Returns the CAs and ServiceAccount keys of rotations.
 * @param rotation their record
 * @param createsKey see `IssueCertificates`
 */
export function rotatedBy(
  rotation: string | undefined,
  paused: ReadonlySet<SecretRole>,
  createsKey: boolean,
): Pick<EnsureRequest, 'keyPlan' | 'authorityPlans' | 'keepsTrust' | 'isRecordUnknown'> {
  const plans = pkiPlansIn(rotation);
  return {
    ...optionalField('keyPlan', keyPlanOf(plans, createsKey, paused)),
    authorityPlans: plans.authorities,
    // The CA backup Secret is written last, so that a crash would leave the trust in a CA without its private key.
    ...(plans.isRotating && { keepsTrust: true }),
    ...optionalField('isRecordUnknown', plans.isRecordUnknown),
  };
}

function keyPlanOf(
  { keys }: PkiPlans,
  createsKey: boolean,
  paused: ReadonlySet<SecretRole>,
): EnsureRequest['keyPlan'] {
  if (paused.has('ca-backup') || paused.has('service-account-key')) return undefined;
  return keys ?? (createsKey ? { successor: NEW_KEY } : undefined);
}
