import type { Feature } from '../../actions/feature.ts';
import { warnings } from '../../api/warnings.ts';

/** No event signals that objects in the control plane change that the next release does not accept. */
const BLOCKED_MS = 15_000;

/** The versions that run, which of the requested ones may follow, and fields that they do not support. */
export const versions = {
  name: 'versions',
  warnings: ({ karmada, spec, host }) => warnings(karmada, spec, host),
  msUntilCheck: ({ instance: { removedValues } }) =>
    removedValues?.blocked === undefined ? Infinity : BLOCKED_MS,
} satisfies Feature<unknown>;
