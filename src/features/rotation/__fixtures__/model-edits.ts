/** What users do to the Secrets of the model while a rotation is under way. */
import type { Rotation } from '../record.ts';
import { contentAt, type World } from './model-world.ts';

/**
 * Another tool restores certificates of the former root in one Secret, as long as each Pod trusts both roots. Once the end of the overlap is
 * confirmed, no operator can prevent that a Pod starts with them and is refused: another Secret may be written at the same time.
 */
export function replaceCertificates(world: World): void {
  const [rotation] = world.backup.record.rotations;
  const secret = world.secrets.at(-1);
  const last = secret?.versions.at(-1);
  if (rotation === undefined || last?.signer !== rotation.to || isEnding(rotation)) return;
  const { from } = rotation;
  if (!isTrusted(world, from) || !last.bundle.includes(from)) return;
  secret?.versions.push({ ...last, at: world.now, signer: from });
  world.restoredRoot = from;
}

const isEnding = ({ phase, completion }: Rotation): boolean =>
  phase === 'Completing' || completion === 'confirmed';

/** Whether each Pod trusts a root, now and after a restart. */
const isTrusted = ({ pods, shared }: World, root: string): boolean =>
  shared.roots.includes(root) &&
  pods.every((pod) =>
    [pod.started, pod.mounted].every((version) => contentAt(pod, version).bundle.includes(root)),
  );
