/** Proofs about objects that name roots: pure. As in `proofs.ts`, what was not observed is lacking. */
import type { Lack, ProofInput } from './proofs.ts';
import { isFresh } from './verdict.ts';

/** Time for which the shared ConfigMap must stay without the former root. An API server that starts adds what it trusts. */
export const SHARED_MS = 60_000;

/** Whether each object that distributes trust contains the new root. @returns what is lacking */
export function publicationLacks(input: ProofInput, root: string): readonly Lack[] {
  return input.facts.objects.flatMap(({ kind, name, roots, observedAt }): readonly Lack[] => {
    if (kind === 'stamp') return [];
    if (!isFresh(observedAt, input)) return [unread(name)];
    return roots.includes(root) ? [] : [{ party: name, why: 'does not contain the new root yet' }];
  });
}

/** Whether no object names the former root, and the shared ConfigMap stays without it. @returns what is lacking */
export function objectLacks(input: ProofInput, former: string): readonly Lack[] {
  const { facts, now } = input;
  return facts.objects.flatMap(({ kind, name, roots, observedAt, changedAt }): readonly Lack[] => {
    if (!isFresh(observedAt, input)) return [unread(name)];
    if (roots.includes(former)) return [{ party: name, why: 'contains the former root' }];
    const isSettled = changedAt !== undefined && now - changedAt >= SHARED_MS;
    if (kind !== 'shared' || isSettled) return [];
    return [{ party: name, why: 'changed less than a minute ago' }];
  });
}

/**
 * Returns the shared ConfigMap if the former root must be taken out. One without the new root is left alone: its readers would trust
 * nobody, and API servers add the new root again.
 */
export const sharedToEdit = (
  { objects }: Pick<ProofInput['facts'], 'objects'>,
  { from, to }: { readonly from: string; readonly to: string },
): ProofInput['facts']['objects'][number] | undefined =>
  objects.find(
    ({ kind, roots }) => kind === 'shared' && [from, to].every((root) => roots.includes(root)),
  );

/** Whether no PVC names the former root. Its data would be that of another cluster as soon as nothing trusts this root. */
export function stampLacks(input: ProofInput, former: string): readonly Lack[] {
  const objects = input.facts.objects.filter(({ kind }) => kind === 'stamp');
  return objectLacks({ ...input, facts: { ...input.facts, objects } }, former);
}

const unread = (party: string): Lack => ({ party, why: 'is not read at the moment' });
