/** Schema of `status`. */
import { certificateRotation } from './rotation.ts';
import type { Schema } from './schema.ts';
import { integer, list, object, text } from './schema.ts';

function versions(description: string): Schema {
  return object(description, {
    karmada: text('Release of Karmada, such as v1.18.2.'),
    kubernetes: text('Release of kube-apiserver, such as v1.35.4.'),
    etcd: text('Release of etcd, such as 3.6.14.'),
  });
}

const condition: Schema = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: text('Type of the condition.', { maxLength: 316 }),
    status: text('Status of the condition.', { enum: ['True', 'False', 'Unknown'] }),
    reason: text('Machine-readable reason in CamelCase; the reference lists all.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: text('Human-readable cause and action.', { maxLength: 32768 }),
    lastTransitionTime: text('Time of the last status change.', { format: 'date-time' }),
    observedGeneration: integer('metadata.generation that the condition describes.', 'int64', {
      minimum: 0,
    }),
  },
};

const etcdCluster = object('Local etcd, as its members report it.', {
  clusterID: text(
    'Hexadecimal ID of the etcd cluster. Empty if no member reports it, or if members belong to different clusters.',
  ),
  quorum: text('Whether a majority of the voting members is available; Unknown if none responds.', {
    enum: ['True', 'False', 'Unknown'],
  }),
  leader: text('Name of the leader; empty if there is none.'),
  observedTime: text('Time of the last change of these fields.', { format: 'date-time' }),
  members: list(
    'Members of the etcd cluster.',
    object('One member.', {
      name: text('Name of the member and of its Pod; empty until it has started.'),
      id: text('Hexadecimal ID of the member.'),
      role: text('Voter, or Learner while it receives the data and has no vote.', {
        knownValues: ['Voter', 'Learner'],
      }),
      version: text('Release of etcd that it runs.'),
      dbSize: text('Approximate size of its database, such as 16Mi.'),
      raftIndex: integer(
        'Index of its Raft log; only while etcd is not healthy or changes.',
        'int64',
      ),
      revision: integer(
        'Revision of its data; only while etcd is not healthy or changes.',
        'int64',
      ),
      alarms: list('Alarms, such as NOSPACE or CORRUPT.', { type: 'string' }),
      message: text('Why the member does not respond.'),
      lastResponseTime: text('Time of its last response; only while it does not respond.', {
        format: 'date-time',
      }),
    }),
  ),
});

const STATUSES = ['True', 'False', 'Unknown'];

const count = (description: string): Schema => ({ description, type: 'integer' });

const memberClusters = object('Member clusters, as last observed.', {
  summary: text('Ready and joined member clusters, such as 2/3.'),
  total: count('Number of joined member clusters.'),
  ready: count('Number of ready member clusters.'),
  push: count('Number of member clusters in push mode.'),
  pull: count('Number of member clusters in pull mode.'),
  clusters: list('At most 20 member clusters; those that are not ready come first.', {
    type: 'object',
    properties: {
      name: text('Name of the Cluster object.'),
      syncMode: text('Push or Pull.', { knownValues: ['Push', 'Pull'] }),
      ready: text('Status of its condition Ready: True, False or Unknown.', {
        knownValues: STATUSES,
      }),
      reason: text('Reason of that condition, unless it is True.'),
      since: text('Time at which it stopped to be ready.'),
      credentialExpiry: text('Expiry of the token or of the CA in the Secret of the Cluster.'),
    },
  }),
});

const PHASES = [
  ...['Pending', 'Installing', 'Running', 'Updating', 'Blocked', 'Degraded', 'Failed', 'Suspended'],
  'Deleting',
];

export const status = object('Observed state of the control plane. Only the operator writes it.', {
  observedGeneration: integer('metadata.generation that the status describes.', 'int64'),
  appliedSpecHash: text('Hash of the last spec that ran completely.'),
  phase: text(`Summary of the conditions: ${PHASES.slice(0, -1).join(', ')} or Deleting.`, {
    knownValues: PHASES,
  }),
  secretRef: object('Secret with the admin kubeconfig.', {
    name: text('Name of the Secret.'),
    namespace: text('Namespace of the Secret.'),
  }),
  karmadaVersion: text('The same as versions.karmada, for clients of the Go operator.'),
  kubernetesVersion: text('The same as versions.kubernetes, for clients of the Go operator.'),
  versions: versions('Versions of the running servers.'),
  apiServerService: object(
    'Service of the API server, in the namespace of this object.',
    { name: text('Name of the Service.') },
    { required: ['name'] },
  ),
  hostUID: text(
    'UID of the kube-system Namespace of a remote host cluster. Not set for the cluster of this object.',
  ),
  hostSecret: text('Secret of the host cluster in use, as namespace/name.'),
  hostEndpoint: text('URL of the API server of the remote host cluster in use.'),
  componentsReady: text('Ready and enabled components, such as 8/8.'),
  etcd: text('Ready and desired etcd members, such as 3/3; or "external".'),
  etcdDataUID: text('UID of the Namespace kube-system in an external etcd.'),
  etcdCluster,
  certificateExpiry: text('Earliest expiry of the certificates of the control plane.', {
    format: 'date-time',
  }),
  certificateRotation,
  memberClusters,
  componentIdentities: object(
    'Components that leave the group system:masters. Not set if none is left.',
    {
      trial: object('Component that has left the group last, until it was ready for 10 minutes.', {
        component: text('Suffix of the component, such as scheduler.'),
        since: text('Time of the decision.', { format: 'date-time' }),
        readySince: text('Time since which it has been ready.', { format: 'date-time' }),
        downSince: text('Time since which it has not been available.', { format: 'date-time' }),
      }),
      proved: list(
        'Components that have left the group and never go back, even if their Secret is deleted. Not set if none is in the group.',
        { type: 'string' },
      ),
      refused: list(
        'Components that went back to the group.',
        object('One component.', {
          component: text('Suffix of the component, such as scheduler.'),
          message: text('Why it went back.'),
        }),
      ),
    },
  ),
  upgrade: object('Upgrade in progress, or failed change. Not set otherwise.', {
    from: versions('Versions before the upgrade.'),
    to: versions('Versions after the upgrade.'),
    next: list('Karmada releases that follow, one after the other; the requested one is last.', {
      type: 'string',
    }),
    step: text('First step that is not complete; "backup" before the first one.'),
    backup: text('Name of the KarmadaBackup that was taken before the first step.'),
    phase: text('Progressing, Halted, RollingBack or RolledBack. Only with onFailure: Rollback.', {
      knownValues: ['Progressing', 'Halted', 'RollingBack', 'RolledBack'],
    }),
    startedAt: text('Time at which the step started. Not set while it is blocked.', {
      format: 'date-time',
    }),
    reason: text('Reason of the failed step, as in the condition of its component.'),
    message: text('Cause of the failed step.'),
  }),
  lastProgressTime: text(
    'Time of the last progress, accurate to 30 seconds. Not set while the control plane is ready.',
    { format: 'date-time' },
  ),
  conditions: {
    ...list('Conditions of the control plane. Ready is the condition to wait for.', condition),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
});
