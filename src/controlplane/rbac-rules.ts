/**
 * RBAC rules in the Karmada API. Data only: roles for users, as in the upstream operator, and one role
 * per component. The component roles have no effect while the client certificates of the components
 * contain the group `system:masters`. With them, removing that group needs no other change. The rules
 * follow what the source code of Karmada v1.17 reads and writes. Every component of v1.17.1 starts
 * with them and syncs its caches. It is not verified that they suffice for all operations.
 */

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export const READ = ['get', 'list', 'watch'];
export const CHANGE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const WRITE_STATUS = ['patch', 'update'];

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

const EVENTS: Rule = {
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'patch', 'update'],
};
const LEASES: Rule = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
};
const CLUSTERS: Rule = {
  apiGroups: ['cluster.karmada.io'],
  resources: ['clusters', 'clusters/status'],
  verbs: READ,
};
const BINDINGS: readonly Rule[] = [
  {
    apiGroups: ['work.karmada.io'],
    resources: ['resourcebindings', 'clusterresourcebindings'],
    verbs: [...READ, ...WRITE_STATUS],
  },
  {
    apiGroups: ['work.karmada.io'],
    resources: ['resourcebindings/status', 'clusterresourcebindings/status'],
    verbs: WRITE_STATUS,
  },
];
const POLICIES: Rule = { apiGroups: ['policy.karmada.io'], resources: ['*'], verbs: READ };
/** Karmada finds estimators through Services of the control plane. */
const SERVICES: Rule = { apiGroups: [''], resources: ['services'], verbs: READ };
/** Credentials of member clusters. */
const MEMBER_SECRETS: Rule = { apiGroups: [''], resources: ['secrets'], verbs: READ };
/** Admission policies and priority levels, which every generic API server watches. */
const GENERIC_API_SERVER: readonly Rule[] = [
  { apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: READ },
  { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: READ },
  { apiGroups: ['flowcontrol.apiserver.k8s.io'], resources: ['*'], verbs: READ },
];

export interface Identity {
  /** User name is `system:karmada:<suffix>`, as in the client certificate of the component. */
  readonly suffix: string;
  readonly rules: readonly Rule[];
  /** Names of predefined Kubernetes ClusterRoles. */
  readonly builtIn?: readonly string[];
  /** If true, the server delegates authentication and authorization to the API server. */
  readonly delegates?: boolean;
}

export const IDENTITIES: readonly Identity[] = [
  {
    suffix: 'aggregated-apiserver',
    delegates: true,
    rules: [...GENERIC_API_SERVER, MEMBER_SECRETS, EVENTS],
  },
  {
    suffix: 'kube-controller-manager',
    delegates: true,
    builtIn: ['system:kube-controller-manager'],
    rules: [],
  },
  {
    // karmada-controller-manager handles objects of every kind that a user may propagate.
    suffix: 'controller-manager',
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['get'] },
    ],
  },
  {
    suffix: 'scheduler',
    rules: [...BINDINGS, CLUSTERS, POLICIES, SERVICES, LEASES, EVENTS],
  },
  {
    suffix: 'descheduler',
    rules: [...BINDINGS, CLUSTERS, SERVICES, LEASES, EVENTS],
  },
  {
    suffix: 'webhook',
    rules: [
      POLICIES,
      {
        apiGroups: ['policy.karmada.io'],
        resources: ['federatedresourcequotas/status'],
        verbs: WRITE_STATUS,
      },
      { apiGroups: ['config.karmada.io', 'work.karmada.io'], resources: ['*'], verbs: READ },
      EVENTS,
    ],
  },
  {
    suffix: 'metrics-adapter',
    delegates: true,
    rules: [...GENERIC_API_SERVER, CLUSTERS, MEMBER_SECRETS, SERVICES, EVENTS],
  },
  {
    suffix: 'search',
    delegates: true,
    rules: [
      ...GENERIC_API_SERVER,
      CLUSTERS,
      MEMBER_SECRETS,
      {
        apiGroups: ['search.karmada.io'],
        resources: ['resourceregistries', 'resourceregistries/status'],
        verbs: [...READ, ...WRITE_STATUS],
      },
      { apiGroups: ['config.karmada.io'], resources: ['*'], verbs: READ },
      EVENTS,
    ],
  },
];

/** User of the client certificate of `spec.monitoring`. It is not a component and is in no group. */
export const METRICS_READER: Identity = {
  suffix: 'metrics',
  rules: [{ nonResourceURLs: ['/metrics', '/metrics/slis'], verbs: ['get'] }],
};
