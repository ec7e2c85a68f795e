/** Reasons of requests, objects and reconciles that fail. */
import { PROBLEM, reasonTable, rowsIn } from './reason.ts';

const ofComponents = rowsIn([...PROBLEM, 'SchedulerEstimatorReady'], 'components-and-pods');
const problem = rowsIn(PROBLEM);

export const REQUEST_REASONS = reasonTable([
  rowsIn(['Ready', ...PROBLEM])(
    'NamespaceTerminating',
    'api',
    'The Namespace of the Karmada, or of an object of the control plane, is terminating. The operator creates nothing in it.',
    'Wait for the deletion to finish.',
  ),
  rowsIn(['Degraded', 'Progressing', 'EtcdReady', 'EtcdHealthy', 'SchedulerEstimatorReady'])(
    'Error',
    'api',
    'A request failed; the message has the error. The operator retries.',
    'If the error persists, check the API server that the message names.',
  ),
  rowsIn(['Ready', ...PROBLEM], 'find-the-cause')(
    'ReconcileFailed',
    'api',
    'The whole reconcile has failed for 10 seconds. The operator retries.',
    'Resolve the error in the message, for example an admission policy that rejects the write.',
  ),
  rowsIn(['Ready', ...PROBLEM], 'find-the-cause')(
    'OperatorFault',
    'operator',
    'The reconcile stopped with an internal error of the operator. The operator retries.',
    'Report a bug with the error from the operator log.',
  ),
  rowsIn(['Ready', 'Stalled'], 'unobserved-clusters')(
    'ClusterAccessDenied',
    'permission',
    'The operator may not read objects in the management cluster.',
    'Apply the RBAC manifests of this operator version, or upgrade the Helm release.',
  ),
  rowsIn(['Ready'], 'unobserved-clusters')(
    'ClusterNotObserved',
    'api',
    'The watches of the operator in the management cluster are interrupted, so its caches are stale.',
    'Check the API server of the management cluster.',
  ),
  rowsIn(['Ready', 'Stalled'], 'unobserved-clusters')(
    'NamespaceLimitExceeded',
    'quota',
    'The objects in the namespace that have the labels of the operator exceed a limit of the operator. It changes nothing in the namespace.',
    'Remove the label app.kubernetes.io/managed-by from the objects that belong to no control plane.',
  ),
  rowsIn(['Ready', 'Progressing'], 'unobserved-clusters')(
    'ControlPlaneNotObserved',
    'api',
    'The watches of the operator in the Karmada control plane are interrupted.',
    'Check the Pods of karmada-apiserver and of etcd.',
  ),
  problem(
    'ControlPlaneLimitExceeded',
    'component',
    'The Karmada control plane has more objects of one kind than the operator reads.',
    'Reduce the number of objects that the message names.',
  ),
  problem(
    'NameNotResolved',
    'network',
    'The DNS name of the Service of karmada-apiserver cannot be resolved.',
    'Correct spec.hostCluster.networking.dnsDomain, or the DNS of the cluster.',
  ),
  ofComponents(
    'Conflict',
    'spec',
    'An object with a required name exists, but does not belong to this control plane.',
    'Move the foreign object to another name or Namespace, or create the Karmada under another name.',
  ),
  ofComponents(
    'ImmutableField',
    'spec',
    'The spec changes a field that Kubernetes does not allow to change.',
    'Revert the change of the field that the message names.',
  ),
  ofComponents(
    'ObjectRefused',
    'admission',
    'The API server or an admission webhook rejected an object.',
    'Correct the field of the spec that sets the value, or the admission policy.',
  ),
  problem(
    'WebhookRefusesObjects',
    'admission',
    'An admission webhook of the host cluster rejects an object, because its API server cannot call the webhook. The operator retries.',
    'Start the server of the webhook, or correct its webhook configuration.',
  ),
  problem(
    'UserWebhookFails',
    'webhook',
    'An admission webhook that the user created in the control plane rejects objects, because karmada-apiserver cannot call it. The operator retries.',
    'Start the server of the webhook, or set failurePolicy: Ignore in its webhook configuration.',
  ),
  rowsIn(['CertificatesValid', ...PROBLEM, 'SchedulerEstimatorReady'])(
    'SecretNotWritten',
    'admission',
    'The operator could not write a Secret; the message has the error.',
    'Resolve the conflict or the policy that the message names.',
  ),
]);
