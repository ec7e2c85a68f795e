/** karmada-webhook: admission and conversion webhooks of the Karmada API. */
import type { Component } from '../component.ts';

export const karmadaWebhook: Component = {
  name: 'karmada-webhook',
  terminationGracePeriodSeconds: 45,
  readiness: {
    kind: 'Deployment',
    probe: { scheme: 'HTTPS', port: 8443, path: '/readyz/' },
    apiServices: [],
  },
  settings: (spec) => spec.components.karmadaWebhook,
  values: () => ({}),
  userFields: ({ spec }) => ({
    extraArgs: spec.components.karmadaWebhook.extraArgs,
    featureGates: spec.featureGates,
  }),
  runsAsRoot: () => false,
};
