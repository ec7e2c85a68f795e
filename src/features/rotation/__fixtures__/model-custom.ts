/** The Secret of a custom CA in the model: what its user does, and what the operator takes from it. */
import type { CustomFacts, RootFacts } from '../facts.ts';
import type { World } from './model-world.ts';

/** The user appends the certificate of another CA, and stores its private key then or later. It stays until it signs. */
export function provide(world: World, hasKey: boolean): void {
  const { user } = world;
  if (!world.isCustom) return;
  if (user.offer === undefined || user.offer === world.active()) {
    user.offer = world.newRoot();
    user.hasKey = false;
  }
  user.hasKey ||= hasKey;
}

/** The user does what the conditions say: a new CA for a request, and its private key for a rotation under way. */
export function provideWhatIsAsked(world: World): void {
  const [rotation] = world.backup.record.rotations;
  if (rotation === undefined || rotation.phase === 'Preparing')
    provide(world, rotation !== undefined);
}

/** What the operator reads of the Secret. */
export function customFacts(
  world: World,
  rootOf: (sha256: string) => RootFacts,
): { readonly custom?: CustomFacts } {
  const { offer, hasKey } = world.user;
  if (!world.isCustom) return {};
  if (offer === undefined) return { custom: { fault: 'has no other CA', keys: [] } };
  const keys = hasKey ? [offer] : [];
  return { custom: { keys, ...(offer !== world.active() && { offer: rootOf(offer) }) } };
}

/** Copies the private key of a root from the Secret. */
export function adoptKey({ backup, user, isCustom }: World, root: string): void {
  if (!isCustom || !user.hasKey || user.offer !== root) return;
  backup.keys.add(root);
  backup.successor = root;
}

/** The successor with its private key. In place of the former root, the CA backup Secret has no other one if the user provides the next. */
export function storedSuccessor({ backup, isCustom }: World): string | undefined {
  const { active, successor } = backup;
  return isCustom && successor === active ? undefined : successor;
}
