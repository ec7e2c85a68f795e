/** CAs and ServiceAccount keys that the record of the rotations demands: pure. */
import type { AuthorityPlan, AuthorityPlans } from '../../pki/authority-plan.ts';
import { NEW_KEY, type KeyPlan } from '../../pki/key-plan.ts';
import { contentOf } from './content.ts';
import { parseRecord } from './parse-record.ts';
import type { Rotation } from './record.ts';

/** Content of the Secrets in the present phases. */
export interface PkiPlans {
  /** Absent without a rotation of the keys. */
  readonly keys?: KeyPlan;
  /** Without an entry, a CA stays as it is. */
  readonly authorities: AuthorityPlans;
  /** Whether a rotation is under way, or may be. */
  readonly isRotating: boolean;
  /** Whether the record is not valid. */
  readonly isRecordUnknown?: true;
}

/**
 * Returns the plans of the present phases.
 * @param record value of the annotation; one that is not valid changes nothing
 */
export function pkiPlansIn(record: string | undefined): PkiPlans {
  const parsed = parseRecord(record);
  const rotations = 'fault' in parsed ? [] : parsed.rotations;
  const keys = rotations.find(({ authority }) => authority === 'service-account-key');
  return {
    ...(keys && { keys: keyPlanOf(keys) }),
    authorities: new Map(
      rotations.flatMap((rotation) => {
        const { authority, from } = rotation;
        if (authority === 'service-account-key') return [];
        const { signer, bundle } = contentOf(rotation);
        const spare = { ...spareOf(rotation), ...certifiedIn(rotation), ...providedIn(rotation) };
        return [[authority, { signer, bundle, probe: from, ...spare }] as const];
      }),
    ),
    isRotating: 'fault' in parsed || rotations.length > 0,
    ...('fault' in parsed && { isRecordUnknown: true }),
  };
}

/** As long as both private keys exist, the former CA certifies the new one for those who have a copy of it. */
function certifiedIn({
  authority,
  phase,
  from,
  to,
  returns,
}: Rotation): Pick<AuthorityPlan, 'certified'> {
  const hasBothKeys = phase === 'Preparing' || phase === 'Switching';
  return authority === 'ca' && hasBothKeys && !returns ? { certified: { root: to, by: from } } : {};
}

/** Before the switch, the Secret of the custom CA may be the only one that has the private key. */
const providedIn = ({ phase, custom }: Rotation): Pick<AuthorityPlan, 'isProvided'> =>
  custom === true && phase === 'Preparing' ? { isProvided: true } : {};

function keyPlanOf(rotation: Rotation): KeyPlan {
  const { signer, bundle } = contentOf(rotation);
  return { signing: signer, verifying: bundle, ...spareOf(rotation), ...formerOf(rotation) };
}

type Spare = Pick<KeyPlan, 'successor' | 'retired'>;

/** From the overlap on, nothing else has the public half of the former key, which an abort of the last phase needs. */
const formerOf = ({ phase, from }: Rotation): Pick<KeyPlan, 'former'> =>
  phase === 'Overlap' || phase === 'Completing' ? { former: from } : {};

/** Private keys that do not sign. From the overlap on, the former one is destroyed before another one exists. */
const SPARE: Readonly<Record<Rotation['phase'], (rotation: Rotation) => Spare>> = {
  Preparing: ({ to }) => ({ successor: to }),
  Switching: ({ from }) => ({ retired: from }),
  Overlap: ({ custom }) => (custom === true ? {} : { successor: NEW_KEY }),
  Completing: ({ next = NEW_KEY, custom }) => (custom === true ? {} : { successor: next }),
};

const spareOf = (rotation: Rotation): Spare => SPARE[rotation.phase](rotation);
