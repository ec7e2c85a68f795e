/** What users do to the Secrets of the model while a rotation is under way. */
import { contentAt, type World } from './model-world.ts';

/**
 * Another tool restores certificates of the former root in one Secret, as long as each Pod trusts both roots. Once the end of the overlap is
 * confirmed, no operator can prevent that a Pod starts with them and is refused: another Secret may be written at the same time.
 */
export function replaceCertificates(world: World): void {
  const [rotation] = world.backup.record.rotations;
  const secret = world.secrets.at(-1);
  const last = secret?.versions.at(-1);
  if (rotation === undefined || secret === undefined || last?.signer !== rotation.to) return;
  const { from, phase, completion } = rotation;
  if (phase === 'Completing' || completion === 'confirmed') return;
  const isTrusted = world.pods.every((pod) =>
    [pod.started, pod.mounted].every((version) => contentAt(pod, version).bundle.includes(from)),
  );
  if (isTrusted && last.bundle.includes(from) && world.shared.roots.includes(from))
    secret.versions.push({ ...last, at: world.now, signer: from });
}
