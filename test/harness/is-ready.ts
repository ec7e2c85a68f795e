import type { Karmada } from '../../src/api/karmada.ts';

/**
 * Whether the Karmada is Ready for its current generation. A condition without observedGeneration, as the upstream
 * operator writes it, counts as current.
 */
export function saysReady({ metadata, status }: Pick<Karmada, 'metadata' | 'status'>): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const generation = ready?.observedGeneration ?? metadata.generation;
  return ready?.status === 'True' && generation === metadata.generation;
}
