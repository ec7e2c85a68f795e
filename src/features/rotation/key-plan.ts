/** ServiceAccount keys that the record of a rotation demands: pure. */
import { NEW_KEY, type KeyPlan } from '../../pki/key-plan.ts';
import { contentOf } from './content.ts';
import { parseRecord } from './parse-record.ts';
import type { Rotation } from './record.ts';

/**
 * Returns the keys of the present phase.
 * @param record value of the annotation
 * @returns undefined without a rotation of the keys, and for a record that is not valid: all keys then stay as they are
 */
export function keyPlanIn(record: string | undefined): KeyPlan | undefined {
  const parsed = parseRecord(record);
  if ('fault' in parsed) return undefined;
  const rotation = parsed.rotations.find(({ authority }) => authority === 'service-account-key');
  return rotation && keyPlanOf(rotation);
}

function keyPlanOf(rotation: Rotation): KeyPlan {
  const { signer, bundle } = contentOf(rotation);
  return { signing: signer, verifying: bundle, ...SPARE[rotation.phase](rotation) };
}

/** Private keys that do not sign. From the overlap on, the former one is destroyed before another one exists. */
const SPARE: Readonly<
  Record<Rotation['phase'], (rotation: Rotation) => Pick<KeyPlan, 'successor' | 'retired'>>
> = {
  Preparing: ({ to }) => ({ successor: to }),
  Switching: ({ from }) => ({ retired: from }),
  Overlap: () => ({ successor: NEW_KEY }),
  Completing: ({ next = NEW_KEY }) => ({ successor: next }),
};
