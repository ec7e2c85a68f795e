/** Reasons of remote host clusters, and reasons that only Events have. */
import { NO_ACTION, reasonTable, rowsIn } from './reason.ts';

/** Conditions of a host cluster that the operator cannot use. */
const UNREACHABLE = ['Ready', 'HostReachable'] as const;

const unreachable = rowsIn(UNREACHABLE);
const unusable = rowsIn([...UNREACHABLE, 'Stalled']);

export const HOST_REASONS = reasonTable([
  rowsIn(['HostReachable'])(
    'Reached',
    'none',
    'The operator reaches the remote host cluster.',
    NO_ACTION,
  ),
  rowsIn([...UNREACHABLE, 'Stalled', 'Warning'])(
    'HostNamespaceNotGranted',
    'permission',
    'The host cluster has a Namespace with the name of that of the Karmada, and its owner has not allowed Karmadas to use it.',
    'Ask its owner for the label operator.karmada.io/karmadas-of in the message, or create the Karmada in another Namespace.',
  ),
  rowsIn([...UNREACHABLE, 'Stalled', 'Warning'])(
    'HostServerNotGranted',
    'secret',
    'The Secret of a host cluster is in another Namespace, and does not name the server to which the operator would send its token.',
    'Ask the owner of the Secret to add the key server with the URL of the API server, or correct spec.hostCluster.apiEndpoint.',
  ),
  unusable(
    'TooManyHostClusters',
    'spec',
    'The Karmadas of the Namespace reference more host clusters than the operator allows. It does not connect to this one. Host clusters with an installed control plane stay connected, and so do those of the Karmadas that were created first.',
    'Reference a host cluster that the Namespace already uses, or ask the administrator of the operator to raise --max-host-clusters-per-namespace.',
  ),
  unreachable(
    'HostUnread',
    'api',
    'The first check of the host cluster did not finish in time.',
    'Check the network between the operator and both API servers.',
  ),
  unreachable(
    'HostUnreachable',
    'network',
    'The API server of the host cluster does not respond.',
    'Check the address in the Secret of spec.hostCluster.secretRef, and the network.',
  ),
  unusable(
    'HostAccessDenied',
    'permission',
    'The host cluster rejects the credentials, or RBAC permissions are missing there.',
    'Renew the credentials, or bind the ClusterRole karmada-operator-remote in the host cluster.',
  ),
  unreachable(
    'HostNotObserved',
    'api',
    'The host cluster responds, but the watches of the operator are interrupted.',
    'Check the API server of the host cluster and the network.',
  ),
  unreachable(
    'HostLimitExceeded',
    'api',
    'The host cluster, or the namespace there, has more objects than the operator reads.',
    'Reduce the number or size of the objects that the message names.',
  ),
  unusable(
    'HostSecretMissing',
    'secret',
    'The Secret of spec.hostCluster.secretRef does not exist.',
    'Create the Secret.',
  ),
  unusable(
    'HostSecretInvalid',
    'secret',
    'The Secret of spec.hostCluster.secretRef has no usable credentials.',
    'Correct the key that the message names.',
  ),
  unreachable(
    'HostSecretReadFailed',
    'api',
    'The operator could not read the Secret of spec.hostCluster.secretRef. The operator retries.',
    'Check the API server and the RBAC permissions of the operator.',
  ),
  unusable(
    'HostChanged',
    'spec',
    'The spec references another cluster than the one that runs the control plane.',
    'Reference the original cluster again. If it is permanently lost, set the annotation operator.karmada.io/abandon-host.',
  ),
  rowsIn(['Warning', 'EtcdAdopted'])(
    'HostRightsMissing',
    'permission',
    'The operator has fewer RBAC permissions in a cluster than this version needs.',
    'Apply the RBAC manifests of this operator version.',
  ),
  rowsIn(['Event'])(
    'HostAbandoned',
    'spec',
    'The Karmada was deleted with the annotation operator.karmada.io/abandon-host. Objects stay on the host cluster.',
    'If the host cluster returns, clean up the objects that the Event names.',
  ),
  rowsIn(['Event'], 'errors-of-requests-and-objects')(
    'CRDIncomplete',
    'permission',
    'The CRD in the cluster lacks fields or rules of this operator version.',
    'Apply the CRD of this operator version.',
  ),
  rowsIn(['Event'], 'control-planes-without-a-karmada-object')(
    'OrphanedControlPlane',
    'spec',
    'A control plane runs, but its Karmada object does not exist.',
    'Create the Karmada again, or clean up the objects that the Event names.',
  ),
]);
