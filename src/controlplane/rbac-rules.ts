/**
 * RBAC rules of the components in the Karmada API. Data only. The roles have no effect while the client certificates of the
 * components contain the group `system:masters` (`src/pki/subjects.ts`). Each rule names the source code that needs it, in Karmada v1.18.2; v1.13 to
 * v1.17 need no others.
 */
import { identityUser } from '../api/identities.ts';
import { SYSTEM_NAMESPACE } from './input.ts';

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export const READ = ['get', 'list', 'watch'];
const WATCH = ['list', 'watch'];

/** One rule of a component. */
export interface Grant {
  readonly rule: Rule;
  /** Namespace of the Role with the rule; absent for a ClusterRole. */
  readonly namespace?: string;
  /** What needs the rule: a file of Karmada. */
  readonly source: string;
}

/** Namespace of the ConfigMap with which API servers publish their CAs of clients. */
export const KUBE_SYSTEM = 'kube-system';

/**
 * Rules of a server that delegates authentication and authorization. Copies of predefined roles, which a new API server
 * creates as its last start step: a server that lacks them ends.
 */
const delegation = (source: string): readonly Grant[] => [
  {
    rule: {
      apiGroups: ['authentication.k8s.io'],
      resources: ['tokenreviews'],
      verbs: ['create'],
    },
    source,
  },
  {
    rule: {
      apiGroups: ['authorization.k8s.io'],
      resources: ['subjectaccessreviews'],
      verbs: ['create'],
    },
    source,
  },
  {
    namespace: KUBE_SYSTEM,
    rule: {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['extension-apiserver-authentication'],
      verbs: READ,
    },
    source,
  },
];

const events = (source: string): Grant => ({
  rule: { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  source,
});
const leases = (source: string): Grant => ({
  namespace: SYSTEM_NAMESPACE,
  rule: {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'create', 'update'],
  },
  source,
});
const clusters = (verbs: readonly string[], source: string): Grant => ({
  rule: { apiGroups: ['cluster.karmada.io'], resources: ['clusters'], verbs },
  source,
});
/** Karmada finds estimators through Services of the control plane. */
const SERVICES: Grant = {
  rule: { apiGroups: [''], resources: ['services'], verbs: ['get'] },
  source: 'pkg/estimator/client/service.go',
};
/** Credentials of member clusters, in a namespace that users choose. */
const memberSecrets = (source: string): Grant => ({
  rule: { apiGroups: [''], resources: ['secrets'], verbs: READ },
  source,
});

export interface Identity {
  /** Name suffix of the workload. */
  readonly suffix: string;
  /** User name of its client certificate. */
  readonly user: string;
  readonly grants: readonly Grant[];
}

/** Rules of the group: discovery, as the predefined role `system:discovery` has it. */
export const GROUP_GRANTS: readonly Grant[] = [
  {
    rule: {
      nonResourceURLs: [
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/healthz',
        '/livez',
        '/openapi',
        '/openapi/*',
        '/readyz',
        '/version',
        '/version/',
      ],
      verbs: ['get'],
    },
    source: 'pkg/util/gclient/gclient.go',
  },
];

const identity = (suffix: string, grants: readonly Grant[]): Identity => ({
  suffix,
  user: identityUser(suffix),
  grants,
});

export const IDENTITIES: readonly Identity[] = [
  identity('aggregated-apiserver', [
    ...delegation('cmd/aggregated-apiserver/app/options/options.go'),
    memberSecrets('pkg/registry/cluster/storage/proxy.go'),
  ]),
  // Kubernetes has the rules of its controllers. These are only copies of what it needs to start.
  identity(
    'kube-controller-manager',
    delegation('cmd/kube-controller-manager/app/options/options.go (Kubernetes)'),
  ),
  // karmada-controller-manager handles objects of every kind that a user may propagate, and grants roles to agents.
  identity('controller-manager', [
    {
      rule: { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      source: 'pkg/detector/detector.go',
    },
    { rule: { nonResourceURLs: ['*'], verbs: ['get'] }, source: 'pkg/util/gclient/gclient.go' },
  ]),
  identity('scheduler', [
    {
      rule: {
        apiGroups: ['work.karmada.io'],
        resources: ['resourcebindings', 'clusterresourcebindings'],
        verbs: [...WATCH, 'patch'],
      },
      source: 'pkg/scheduler/scheduler.go',
    },
    {
      rule: {
        apiGroups: ['work.karmada.io'],
        resources: ['resourcebindings/status', 'clusterresourcebindings/status'],
        verbs: ['patch'],
      },
      source: 'pkg/scheduler/scheduler.go',
    },
    clusters(WATCH, 'pkg/scheduler/event_handler.go'),
    SERVICES,
    leases('cmd/scheduler/app/scheduler.go'),
    events('pkg/scheduler/event_handler.go'),
  ]),
  identity('descheduler', [
    {
      rule: {
        apiGroups: ['work.karmada.io'],
        resources: ['resourcebindings'],
        verbs: [...WATCH, 'update'],
      },
      source: 'pkg/descheduler/descheduler.go',
    },
    clusters(WATCH, 'pkg/descheduler/descheduler.go'),
    SERVICES,
    leases('cmd/descheduler/app/descheduler.go'),
    events('pkg/descheduler/descheduler.go'),
  ]),
  identity('webhook', [
    {
      rule: {
        apiGroups: ['config.karmada.io'],
        resources: ['resourceinterpretercustomizations'],
        verbs: WATCH,
      },
      source: 'pkg/webhook/resourceinterpretercustomization/validating.go',
    },
    {
      rule: {
        apiGroups: ['policy.karmada.io'],
        resources: ['federatedresourcequotas'],
        verbs: WATCH,
      },
      source: 'pkg/webhook/resourcebinding/validating.go',
    },
    {
      rule: {
        apiGroups: ['policy.karmada.io'],
        resources: ['federatedresourcequotas/status'],
        verbs: ['update'],
      },
      source: 'pkg/webhook/resourcebinding/validating.go',
    },
  ]),
  identity('metrics-adapter', [
    ...delegation('cmd/metrics-adapter/app/options/options.go'),
    clusters(READ, 'pkg/metricsadapter/controller.go'),
    memberSecrets('pkg/metricsadapter/controller.go'),
  ]),
  identity('search', [
    ...delegation('cmd/karmada-search/app/options/options.go'),
    clusters(READ, 'pkg/search/controller.go'),
    memberSecrets('pkg/search/controller.go'),
    {
      rule: {
        apiGroups: ['search.karmada.io'],
        resources: ['resourceregistries'],
        verbs: WATCH,
      },
      source: 'pkg/search/controller.go',
    },
    // It answers with its own permissions what no ResourceRegistry selects. Kinds that only member clusters have show nothing here.
    {
      rule: { apiGroups: [''], resources: ['nodes', 'pods'], verbs: READ },
      source: 'pkg/search/proxy/framework/plugins/karmada/karmada.go',
    },
  ]),
];

/** User of the client certificate of `spec.monitoring`. It is not a component and is in no group. */
export const METRICS_READER: Identity = identity('metrics', [
  {
    rule: { nonResourceURLs: ['/metrics', '/metrics/slis'], verbs: ['get'] },
    source: 'docs/operate/component-metrics.md',
  },
]);
