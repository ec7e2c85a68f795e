import type { KarmadaStatus } from '../../api/karmada.ts';

/** Status of a control plane that was reported as ready. */
export const reportedReady = (observedGeneration = 2): KarmadaStatus => ({
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration,
    },
  ],
});
