/** Reasons of remote host clusters, and reasons that only Events have. */
import { NO_ACTION, reasonTable } from './reason.ts';

/** Conditions of a host cluster that the operator cannot use. */
const UNREACHABLE = ['Ready', 'HostReachable'] as const;

export const HOST_REASONS = reasonTable([
  {
    reason: 'Reached',
    fault: 'none',
    types: ['HostReachable'],
    meaning: 'The operator reaches the remote host cluster.',
    action: NO_ACTION,
  },
  {
    reason: 'HostNamespaceNotGranted',
    fault: 'permission',
    types: [...UNREACHABLE, 'Stalled', 'Warning'],
    meaning:
      'The host cluster has a Namespace with the name of that of the Karmada, and its owner has not allowed Karmadas to use it.',
    action:
      'Ask its owner for the label operator.karmada.io/karmadas-of in the message, or create the Karmada in another Namespace.',
  },
  {
    reason: 'HostServerNotGranted',
    fault: 'secret',
    types: [...UNREACHABLE, 'Stalled', 'Warning'],
    meaning:
      'The Secret of a host cluster is in another Namespace, and does not name the server to which the operator would send its token.',
    action:
      'Ask the owner of the Secret to add the key server with the URL of the API server, or correct spec.hostCluster.apiEndpoint.',
  },
  {
    reason: 'TooManyHostClusters',
    fault: 'spec',
    types: [...UNREACHABLE, 'Stalled'],
    meaning:
      'The Karmadas of the Namespace reference more host clusters than the operator allows. It does not connect to this one. Host clusters with an installed control plane stay connected, and so do those of the Karmadas that were created first.',
    action:
      'Reference a host cluster that the Namespace already uses, or ask the administrator of the operator to raise --max-host-clusters-per-namespace.',
  },
  {
    reason: 'HostUnread',
    fault: 'api',
    types: UNREACHABLE,
    meaning: 'The first check of the host cluster did not finish in time.',
    action: 'Check the network between the operator and both API servers.',
  },
  {
    reason: 'HostUnreachable',
    fault: 'network',
    types: UNREACHABLE,
    meaning: 'The API server of the host cluster does not respond.',
    action: 'Check the address in the Secret of spec.hostCluster.secretRef, and the network.',
  },
  {
    reason: 'HostAccessDenied',
    fault: 'permission',
    types: [...UNREACHABLE, 'Stalled'],
    meaning: 'The host cluster rejects the credentials, or RBAC permissions are missing there.',
    action:
      'Renew the credentials, or bind the ClusterRole karmada-operator-remote in the host cluster.',
  },
  {
    reason: 'HostNotObserved',
    fault: 'api',
    types: UNREACHABLE,
    meaning: 'The host cluster responds, but the watches of the operator are interrupted.',
    action: 'Check the API server of the host cluster and the network.',
  },
  {
    reason: 'HostLimitExceeded',
    fault: 'api',
    types: UNREACHABLE,
    meaning: 'The host cluster, or the namespace there, has more objects than the operator reads.',
    action: 'Reduce the number or size of the objects that the message names.',
  },
  {
    reason: 'HostSecretMissing',
    fault: 'secret',
    types: [...UNREACHABLE, 'Stalled'],
    meaning: 'The Secret of spec.hostCluster.secretRef does not exist.',
    action: 'Create the Secret.',
  },
  {
    reason: 'HostSecretInvalid',
    fault: 'secret',
    types: [...UNREACHABLE, 'Stalled'],
    meaning: 'The Secret of spec.hostCluster.secretRef has no usable credentials.',
    action: 'Correct the key that the message names.',
  },
  {
    reason: 'HostSecretReadFailed',
    fault: 'api',
    types: UNREACHABLE,
    meaning:
      'The operator could not read the Secret of spec.hostCluster.secretRef. The operator retries.',
    action: 'Check the API server and the RBAC permissions of the operator.',
  },
  {
    reason: 'HostChanged',
    fault: 'spec',
    types: [...UNREACHABLE, 'Stalled'],
    meaning: 'The spec references another cluster than the one that runs the control plane.',
    action:
      'Reference the original cluster again. If it is permanently lost, set the annotation operator.karmada.io/abandon-host.',
  },
  {
    reason: 'HostRightsMissing',
    fault: 'permission',
    types: ['Warning', 'EtcdAdopted'],
    meaning: 'The operator has fewer RBAC permissions in a cluster than this version needs.',
    action: 'Apply the RBAC manifests of this operator version.',
  },
  {
    reason: 'HostAbandoned',
    fault: 'spec',
    types: ['Event'],
    meaning:
      'The Karmada was deleted with the annotation operator.karmada.io/abandon-host. Objects stay on the host cluster.',
    action: 'If the host cluster returns, clean up the objects that the Event names.',
  },
  {
    reason: 'CRDIncomplete',
    fault: 'permission',
    section: 'errors-of-requests-and-objects',
    types: ['Event'],
    meaning: 'The CRD in the cluster lacks fields or rules of this operator version.',
    action: 'Apply the CRD of this operator version.',
  },
  {
    reason: 'OrphanedControlPlane',
    fault: 'spec',
    section: 'control-planes-without-a-karmada-object',
    types: ['Event'],
    meaning: 'A control plane runs, but its Karmada object does not exist.',
    action: 'Create the Karmada again, or clean up the objects that the Event names.',
  },
]);
