/**
 * karmada-search: caches and searches resources of member clusters. Its `--feature-gates` flag does not
 * accept the Karmada feature gates.
 */
import { ifEnabled } from '../../api/addon.ts';
import type { Component } from '../component.ts';
import { etcdClientValues } from '../values.ts';

export const karmadaSearch: Component = {
  name: 'karmada-search',
  terminationGracePeriodSeconds: 75,
  readiness: {
    kind: 'Deployment',
    probe: {
      scheme: 'HTTPS',
      port: 8443,
      path: '/readyz?exclude=poststarthook/start-karmada-informers&exclude=poststarthook/start-karmada-search-controller',
    },
    apiServices: ['v1alpha1.search.karmada.io'],
  },
  settings: (spec) => ifEnabled(spec.components.karmadaSearch),
  values: etcdClientValues,
  userFields: ({ spec }) => ({ extraArgs: ifEnabled(spec.components.karmadaSearch)?.extraArgs }),
  runsAsRoot: () => false,
};
