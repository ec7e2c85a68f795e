/** Schema of `status`. */
import type { Schema } from './schema.ts';
import { integer, list, object, text } from './schema.ts';

function versions(description: string): Schema {
  return object(description, {
    karmada: text('Version of Karmada.'),
    kubernetes: text('Version of kube-apiserver.'),
    etcd: text('Version of etcd.'),
  });
}

const condition: Schema = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: text('Type of the condition.', { maxLength: 316 }),
    status: text('Status of the condition.', { enum: ['True', 'False', 'Unknown'] }),
    reason: text('Machine-readable reason in CamelCase.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: text('Human-readable cause and action.', { maxLength: 32768 }),
    lastTransitionTime: text('Time of the last status change.', { format: 'date-time' }),
    observedGeneration: integer('Observed metadata.generation.', 'int64', { minimum: 0 }),
  },
};

const etcdCluster = object('Local etcd, as its members report it.', {
  clusterID: text('ID of the cluster.'),
  quorum: text('Whether a majority is available.', { enum: ['True', 'False', 'Unknown'] }),
  leader: text('Name of the leader.'),
  observedTime: text('Time of the last change.', { format: 'date-time' }),
  members: list(
    'Members.',
    object('Member.', {
      name: text('Name, also of the Pod.'),
      id: text('Hexadecimal ID.'),
      role: text('Voter or Learner.'),
      version: text('Release.'),
      dbSize: text('Rounded database size.'),
      raftIndex: integer('Raft index, unless etcd is healthy.', 'int64'),
      revision: integer('Revision, unless etcd is healthy.', 'int64'),
      alarms: list('Alarms.', { type: 'string' }),
      message: text('Why it does not respond.'),
      lastResponseTime: text('Last response.', { format: 'date-time' }),
    }),
  ),
});

const count = (description: string): Schema => ({ description, type: 'integer' });

const memberClusters = object('Member clusters, as last observed.', {
  summary: text('Ready and joined, such as 2/3.'),
  total: count('Joined.'),
  ready: count('Ready.'),
  push: count('In push mode.'),
  pull: count('In pull mode.'),
  clusters: list('At most 20, unready ones first.', {
    type: 'object',
    properties: {
      name: { type: 'string' },
      syncMode: { type: 'string' },
      ready: text('Condition Ready.'),
      reason: { type: 'string' },
      since: text('Not ready since.'),
      credentialExpiry: text('Expiry of token or CA.'),
    },
  }),
});

export const status = object('Observed state of the control plane. Only the operator writes it.', {
  observedGeneration: integer('metadata.generation that the status describes.', 'int64'),
  appliedSpecHash: text('Hash of the last applied spec.'),
  phase: text('Summary of the conditions.'),
  secretRef: object('Secret with the admin kubeconfig.', {
    name: text('Name of the Secret.'),
    namespace: text('Namespace of the Secret.'),
  }),
  karmadaVersion: text('Version of the running Karmada.'),
  kubernetesVersion: text('Version of the running kube-apiserver.'),
  versions: versions('Versions of the running servers.'),
  apiServerService: object(
    'Service of the API server, in the namespace of this object.',
    { name: text('Name of the Service.') },
    { required: ['name'] },
  ),
  hostUID: text('UID of the kube-system Namespace of a remote host cluster.'),
  hostSecret: text('Secret of the host cluster in use, as namespace/name.'),
  hostEndpoint: text('Host server in use.'),
  componentsReady: text('Ready and enabled components, such as 8/8.'),
  etcd: text('Ready and desired etcd members, such as 3/3; or "external".'),
  etcdDataUID: text('UID of the Namespace kube-system in an external etcd.'),
  etcdCluster,
  certificateExpiry: text('Earliest expiry of the certificates of the control plane.', {
    format: 'date-time',
  }),
  memberClusters,
  upgrade: object('Upgrade in progress.', {
    from: versions('Versions before the upgrade.'),
    to: versions('Versions after the upgrade.'),
    next: list('Karmada releases that follow, one after the other.', text('Release.')),
    step: text('First incomplete step; "backup" before it.'),
    backup: text('KarmadaBackup before the first step.'),
    phase: text('Progressing, Halted, RollingBack or RolledBack. Only with onFailure: Rollback.'),
    startedAt: text('Start of the step.', { format: 'date-time' }),
    reason: text('Reason of the failed step.'),
    message: text('Cause of the failed step.'),
  }),
  lastProgressTime: text('Last progress, unless ready.', { format: 'date-time' }),
  conditions: {
    ...list('Conditions of the control plane. Ready is the condition to wait for.', condition),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
});
