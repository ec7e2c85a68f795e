/** Reasons of the scheduler estimators of member clusters. */
import { NO_ACTION, reasonTable, rowsIn } from './reason.ts';

const ESTIMATOR = ['SchedulerEstimatorReady'] as const;

const estimator = rowsIn(ESTIMATOR);

export const MEMBER_CLUSTER_REASONS = reasonTable([
  estimator(
    'NoMembers',
    'none',
    'The control plane has no member cluster in push mode, so no estimator is needed.',
    NO_ACTION,
  ),
  rowsIn([...ESTIMATOR, 'plan'])(
    'MembersUnknown',
    'api',
    'The operator cannot list the member clusters. It keeps their estimators unchanged.',
    'Check the Pods of karmada-apiserver.',
  ),
  estimator(
    'MemberNotFound',
    'spec',
    'The spec names a member cluster that does not exist or is in pull mode.',
    'Correct spec.components.karmadaSchedulerEstimator.clusters, or join the cluster in push mode.',
  ),
  estimator(
    'NameTooLong',
    'spec',
    'The Service name of the estimator would be longer than 63 characters.',
    'Join the member cluster under a shorter name.',
  ),
  rowsIn([...ESTIMATOR, 'Warning'])(
    'EstimatorLimitExceeded',
    'spec',
    'The control plane has more than 100 member clusters in push mode, and the spec does not name those that get an estimator. The operator keeps existing estimators and creates no further ones.',
    'Name the member clusters that need an estimator in spec.components.karmadaSchedulerEstimator.clusters.',
  ),
  estimator(
    'CredentialsMissing',
    'secret',
    'The Cluster object or its Secret lacks the API endpoint, the token or the CA.',
    'Join the member cluster again.',
  ),
  estimator(
    'CredentialsInvalid',
    'secret',
    'The token or the CA of the Cluster object is larger than a token or a CA can be.',
    'Join the member cluster again.',
  ),
  estimator(
    'CredentialsRefused',
    'secret',
    'The API server of the member cluster rejects the token of the Cluster object.',
    'Join the member cluster again.',
  ),
  estimator(
    'ProxyHeaderUnsupported',
    'spec',
    'The Cluster object sets spec.proxyHeader, which an estimator cannot send.',
    'Use a proxy that needs no headers.',
  ),
  estimator(
    'MemberAddressNotAllowed',
    'spec',
    'The API endpoint is a loopback, link-local or metadata address.',
    'Use another address, or start the operator with --allow-addresses.',
  ),
  estimator(
    'MemberUnreachable',
    'network',
    'The API server of the member cluster does not respond. The operator retries.',
    'Check apiEndpoint, caBundle and proxyURL of the Cluster object, and the network.',
  ),
  estimator(
    'MemberError',
    'api',
    'A request to the member cluster failed; the message has the status code. The operator retries.',
    'Check the API server of the member cluster.',
  ),
  rowsIn(['Warning'], 'warnings')(
    'MemberCredentialsExpiring',
    'secret',
    'The token or the CA bundle with which the control plane connects to a member cluster expires within 14 days, or has expired.',
    'Write new credentials to the Secret of the Cluster.',
  ),
  rowsIn(['Event'], 'deleted-control-planes-with-member-clusters')(
    'MembersLeft',
    'spec',
    'The control plane is deleted, and member clusters were still joined.',
    'Clean up the member clusters that the Event names, or join another control plane.',
  ),
  rowsIn(['plan'])(
    'StillRouted',
    'none',
    'The operator keeps an object of a disabled add-on, because an APIService still references its Service.',
    NO_ACTION,
  ),
  rowsIn(['plan'])(
    'StillMounted',
    'none',
    'The operator keeps a Secret, because a workload still uses it.',
    NO_ACTION,
  ),
]);
