import type { Feature } from '../../actions/feature.ts';

/** No event signals that objects in the control plane change that the next release does not accept. */
const BLOCKED_MS = 15_000;

/** The versions that run, and which of the requested ones may follow. */
export const versions = {
  name: 'versions',
  msUntilCheck: ({ instance: { removedValues } }) =>
    removedValues?.blocked === undefined ? Infinity : BLOCKED_MS,
} satisfies Feature<unknown>;
