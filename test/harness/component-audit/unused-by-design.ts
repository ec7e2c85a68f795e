/**
 * Permissions of components that a control plane may never use, each with the reason and its place in the source code of Karmada
 * v1.18.2. Data only. A permission that no request uses and that is not in this list must be explained, or taken from the role.
 */
interface UnusedByDesign {
  /** Suffix of the component; `all` for each of them, and for the group. */
  readonly component: string;
  /** As `permissionText` names it. */
  readonly permission: string;
  readonly reason: string;
}

const of = (
  component: string,
  permissions: readonly string[],
  reason: string,
): readonly UnusedByDesign[] =>
  permissions.map((permission) => ({ component, permission, reason }));

const CLUSTER_SCOPED = 'only for cluster-scoped resources: pkg/scheduler/scheduler.go';
const ESTIMATED = 'only with estimators: pkg/estimator/client/service.go';

export const UNUSED_BY_DESIGN: readonly UnusedByDesign[] = [
  ...of(
    'all',
    ['create tokenreviews.authentication.k8s.io'],
    'only for requests with a bearer token: cmd/aggregated-apiserver/app/options/options.go',
  ),
  ...of(
    'all',
    ['create subjectaccessreviews.authorization.k8s.io'],
    'only for requests of users outside of system:masters: cmd/aggregated-apiserver/app/options/options.go',
  ),
  ...of(
    'all',
    [
      ...['get /api', 'get /apis', 'get /api/*', 'get /apis/*', 'get /openapi', 'get /openapi/*'],
      ...['get /healthz', 'get /livez', 'get /readyz', 'get /version', 'get /version/'],
    ],
    'as the predefined role system:discovery: pkg/util/gclient/gclient.go',
  ),
  ...of(
    'aggregated-apiserver',
    ['get secrets'],
    'only before its cache has a new Secret: pkg/registry/cluster/storage/proxy.go',
  ),
  ...of(
    'search',
    [...['get pods', 'list pods', 'watch pods'], ...['get nodes', 'list nodes', 'watch nodes']],
    'only for requests to its proxy that no ResourceRegistry selects: pkg/search/proxy/framework/plugins/karmada/karmada.go',
  ),
  ...of(
    'webhook',
    [
      'list federatedresourcequotas.policy.karmada.io',
      'watch federatedresourcequotas.policy.karmada.io',
      'update federatedresourcequotas/status.policy.karmada.io',
    ],
    'only with the feature gate FederatedQuotaEnforcement: pkg/webhook/resourcebinding/validating.go',
  ),
  ...of(
    'descheduler',
    ['update resourcebindings.work.karmada.io'],
    'only when replicas cannot be scheduled in a member cluster: pkg/descheduler/descheduler.go',
  ),
  ...of('descheduler', ['get services'], ESTIMATED),
  ...of('scheduler', ['get services'], ESTIMATED),
  ...of(
    'scheduler',
    [
      'patch clusterresourcebindings.work.karmada.io',
      'patch clusterresourcebindings/status.work.karmada.io',
    ],
    CLUSTER_SCOPED,
  ),
  ...of('scheduler', ['patch events'], 'only for repeated Events: pkg/scheduler/event_handler.go'),
  ...of(
    'descheduler',
    ['create events', 'patch events'],
    'only when it evicts replicas: pkg/descheduler/descheduler.go',
  ),
];
