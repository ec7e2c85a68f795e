/** RBAC rules of users in the Karmada API, as in the upstream operator. Data only. */
export const CHANGE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** Namespaced Karmada resources for users with access to one namespace. */
export const USER_RESOURCES: readonly (readonly [group: string, resources: readonly string[]])[] = [
  [
    'autoscaling.karmada.io',
    ['cronfederatedhpas', 'cronfederatedhpas/status', 'federatedhpas', 'federatedhpas/status'],
  ],
  [
    'multicluster.x-k8s.io',
    ['serviceexports', 'serviceexports/status', 'serviceimports', 'serviceimports/status'],
  ],
  [
    'networking.karmada.io',
    [
      'multiclusteringresses',
      'multiclusteringresses/status',
      'multiclusterservices',
      'multiclusterservices/status',
    ],
  ],
  ['policy.karmada.io', ['overridepolicies', 'propagationpolicies']],
  ['work.karmada.io', ['resourcebindings', 'resourcebindings/status', 'works', 'works/status']],
];
