import type { Feature } from '../../actions/feature.ts';

/** Secrets of other namespaces, whose copy stays in use although the operator may no longer read them. */
export const secretGrants = {
  name: 'Secrets of other namespaces',
  warnings: ({ secretWarnings = [] }) =>
    secretWarnings.map(({ reason, message }) => ({
      reason,
      message: `${message}. The control plane keeps using the values that the operator read before.`,
    })),
} satisfies Feature<unknown>;
