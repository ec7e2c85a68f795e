import type { Karmada } from '../../src/api/karmada.ts';

/**
 * Whether the operator itself calls the instance ready. One that names no generation in its condition, as upstream's
 * does not, is believed all the same.
 */
export function saysReady({ metadata, status }: Pick<Karmada, 'metadata' | 'status'>): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const generation = ready?.observedGeneration ?? metadata.generation;
  return ready?.status === 'True' && generation === metadata.generation;
}
