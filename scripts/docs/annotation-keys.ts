/** Annotation and label keys that users set or see: the table behind docs/reference/annotations.md. */

export interface DocumentedKey {
  readonly key: string;
  readonly kind: 'annotation' | 'label' | 'finalizer';
  /** Object that has the key. */
  readonly object: string;
  readonly setBy: 'user' | 'operator';
  readonly meaning: string;
}

const PREFIX = 'operator.karmada.io';

const SET_BY_USERS: readonly DocumentedKey[] = [
  {
    key: `${PREFIX}/abandon-host`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'UID of what is given up on a host cluster that is permanently lost. With the UID of the Karmada, its deletion continues without the host cluster. With the value of status.hostUID, the operator installs a new control plane without the old data. Other values have no effect.',
  },
  {
    key: `${PREFIX}/adoption`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'Whether the operator adopts a control plane that the Go operator created: Automatic, DryRun (default) or Never. With DryRun, the condition Adopted lists the Pods that would restart. Without effect on other control planes.',
  },
  {
    key: `${PREFIX}/adopt-etcd`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'Automatic: the operator may change an etcd that the Go operator created, one step at a time. Other values are invalid. Without it, such an etcd never changes. The condition EtcdAdopted lists the steps.',
  },
  {
    key: `${PREFIX}/allowed-namespaces`,
    kind: 'annotation',
    object: 'Secret',
    setBy: 'user',
    meaning:
      'Namespaces whose Karmada objects may reference this Secret, separated by commas, or "*" for all. Required for a Secret in another Namespace, unless the operator runs with --cross-namespace-secrets=Any.',
  },
  {
    key: `${PREFIX}/component-identities`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'Own: the client certificates of the components of a running control plane leave the group system:masters, one after the other; the condition ComponentIdentities reports it. Masters: all of them are in the group, for example before a downgrade of the operator. Other values have no effect.',
  },
  {
    key: `${PREFIX}/confirm-deletion`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'UID of the Karmada: confirms its deletion although member clusters are joined, if spec.deletionPolicy is ConfirmMembers. Other values have no effect.',
  },
  {
    key: `${PREFIX}/disable-cascading-deletion`,
    kind: 'label',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'With any value but "false", the operator keeps all objects of the control plane when the Karmada is deleted.',
  },
  {
    key: `${PREFIX}/etcd-recover-from`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'Member of an etcd without a quorum, as MEMBER/CLUSTER_ID/REVISION, or as MEMBER/CLUSTER_ID/volume if no member responds. For a KarmadaRestore the operator sets restore:NAME/CLUSTER_ID/REVISION. The operator then rebuilds etcd from this member once. The condition EtcdHealthy has the value; other values have no effect.',
  },
  {
    key: `${PREFIX}/etcd-recovery-mode`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'With Automatic, the operator rebuilds an etcd without a quorum from the member with the newest data, if the PersistentVolumeClaims of a majority of the members do not exist any more. With other values, a user confirms the member with etcd-recover-from.',
  },
  {
    key: `${PREFIX}/etcd-take-over`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'Data in an external etcd that the control plane takes over, although it is not its own: UID of the Namespace kube-system in it, etcd-CLUSTER_ID for keys of unknown origin, or empty-CLUSTER_ID without keys. The condition EtcdReady has the value; other values have no effect.',
  },
  {
    key: `${PREFIX}/etcd-start-empty`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'user',
    meaning:
      'ID of an etcd cluster whose data is lost. The operator then creates an empty etcd once. The message of the reason DataLost has the value.',
  },
  {
    key: `${PREFIX}/karmadas-of`,
    kind: 'label',
    object: 'Namespace',
    setBy: 'user',
    meaning:
      'In a remote host cluster: UID of the Namespace kube-system of the management cluster whose Karmada objects may use this Namespace, or Any. The operator sets it on Namespaces that it creates.',
  },
  {
    key: `${PREFIX}/pause-repair`,
    kind: 'annotation',
    object: 'any object of a control plane',
    setBy: 'user',
    meaning:
      'With the value "true", the operator neither repairs, changes nor deletes this object. The condition RepairPaused lists such objects.',
  },
  {
    key: `restart.${PREFIX}/time`,
    kind: 'annotation',
    object: 'component in spec.components',
    setBy: 'user',
    meaning:
      'Time of the last restart that the command restart of the kubectl plugin requested. The operator restarts the Pods of a component whose annotations change.',
  },
];

const SET_BY_OPERATOR: readonly DocumentedKey[] = [
  {
    key: `${PREFIX}/features-in-use`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'operator',
    meaning:
      'Features of the control plane that an older operator would misread, as NAME@VERSION with the first version that knows the feature, separated by commas. An operator that does not know one of them changes nothing (NewerOperatorRequired).',
  },
  {
    key: 'app.kubernetes.io/instance',
    kind: 'label',
    object: 'all objects of a control plane',
    setBy: 'operator',
    meaning: 'Name of the Karmada.',
  },
  {
    key: 'app.kubernetes.io/managed-by',
    kind: 'label',
    object: 'all objects of a control plane',
    setBy: 'operator',
    meaning: 'Always karmada-operator.',
  },
  {
    key: 'app.kubernetes.io/name',
    kind: 'label',
    object: 'all objects of a control plane',
    setBy: 'operator',
    meaning: 'Name of the component.',
  },
  {
    key: `${PREFIX}/access-hash`,
    kind: 'annotation',
    object: 'Secret and Pod template of an estimator',
    setBy: 'operator',
    meaning:
      'Hash of the connection settings of a member cluster. A change restarts the estimator.',
  },
  {
    key: `${PREFIX}/applied-hash`,
    kind: 'annotation',
    object: 'objects of a control plane',
    setBy: 'operator',
    meaning:
      'Hash of the configuration that the operator applied last. The operator detects drift with it.',
  },
  {
    key: `${PREFIX}/certificates-hash`,
    kind: 'annotation',
    object: 'Pod template',
    setBy: 'operator',
    meaning: 'Hash of the certificates of the component. A change restarts the Pods.',
  },
  {
    key: `${PREFIX}/cluster`,
    kind: 'label',
    object: 'objects of an estimator',
    setBy: 'operator',
    meaning: 'Name of the member cluster.',
  },
  {
    key: `${PREFIX}/connections-since`,
    kind: 'annotation',
    object: 'webhook configuration in the control plane',
    setBy: 'operator',
    meaning:
      'Time (RFC 3339). The API server does not reuse connections to karmada-webhook that are older.',
  },
  {
    key: `${PREFIX}/etcd-equal-revision`,
    kind: 'annotation',
    object: 'StatefulSet of etcd',
    setBy: 'operator',
    meaning:
      'Revision whose Pods differ from the Pod template only in values without effect, so the operator does not restart them.',
  },
  {
    key: `${PREFIX}/etcd-initial-trust`,
    kind: 'annotation',
    object: 'StatefulSet of etcd',
    setBy: 'operator',
    meaning:
      'Hash of the CAs that the members trusted when an earlier version of the operator had started them. When these CAs change, the operator restarts the members.',
  },
  {
    key: `${PREFIX}/etcd-join`,
    kind: 'annotation',
    object: 'Pod of etcd',
    setBy: 'operator',
    meaning:
      'Other members of the etcd cluster that this Pod may join without data. The operator removes it when the member has started.',
  },
  {
    key: `${PREFIX}/etcd-joined`,
    kind: 'annotation',
    object: 'Pod of etcd',
    setBy: 'operator',
    meaning: 'With the value "true", the Pod has joined the etcd cluster and contains its data.',
  },
  {
    key: `${PREFIX}/etcd-kept`,
    kind: 'label',
    object: 'PersistentVolumeClaim of etcd',
    setBy: 'operator',
    meaning:
      'ID of the former etcd cluster whose data the volume has. A recovery kept it; the operator neither uses nor deletes it while the Karmada exists.',
  },
  {
    key: `${PREFIX}/etcd-member`,
    kind: 'annotation',
    object: 'PersistentVolumeClaim of etcd',
    setBy: 'operator',
    meaning:
      'etcd cluster and etcd member whose data the volume holds. Back it up with the volume.',
  },
  {
    key: `${PREFIX}/etcd-other-size-hash`,
    kind: 'annotation',
    object: 'StatefulSet of etcd',
    setBy: 'operator',
    meaning:
      'Hash of the Pod template with the timing flags of the other size: one etcd member, or several. The operator does not restart Pods with this hash.',
  },
  {
    key: `${PREFIX}/etcd-record`,
    kind: 'annotation',
    object: 'Secret with the suffix ca-backup',
    setBy: 'operator',
    meaning:
      'etcd cluster of the control plane. The operator creates no new etcd cluster while this record names one with data.',
  },
  {
    key: `${PREFIX}/etcd-recovery`,
    kind: 'annotation',
    object: 'Pod and PersistentVolumeClaim of a recovery; Deployment that it stops',
    setBy: 'operator',
    meaning:
      'Token of the new etcd cluster: the operator deletes only objects with the token of the recovery in progress. On a Deployment, the value of etcd-recover-from.',
  },
  {
    key: `${PREFIX}/etcd-template-hash`,
    kind: 'annotation',
    object: 'Pod template of etcd',
    setBy: 'operator',
    meaning: 'Hash of the Pod template without flags that an etcd member with data ignores.',
  },
  {
    key: `${PREFIX}/etcd-trust-hash`,
    kind: 'annotation',
    object: 'Pod template',
    setBy: 'operator',
    meaning: 'Hash of the CA of the external etcd. A change restarts the clients of etcd.',
  },
  {
    key: `${PREFIX}/failed-change`,
    kind: 'annotation',
    object: 'Secret with the suffix last-ready-spec',
    setBy: 'operator',
    meaning:
      'Change of the spec that the operator rolled back, with its step and cause. The operator does not try a spec with this hash again.',
  },
  {
    key: `${PREFIX}/fault-class`,
    kind: 'label',
    object: 'Event of type Warning',
    setBy: 'operator',
    meaning:
      'Whose fault the Event reports: operator, component, cluster, user or network. Absent if another condition has the cause.',
  },
  {
    key: `${PREFIX}/finalizer`,
    kind: 'finalizer',
    object: 'Karmada',
    setBy: 'operator',
    meaning: 'Keeps the Karmada until the operator has deleted the control plane.',
  },
  {
    key: `${PREFIX}/narrow-access`,
    kind: 'annotation',
    object: 'Secret of an estimator',
    setBy: 'operator',
    meaning:
      'With the value "true", the Secret has the token of a least-privilege ServiceAccount in the member cluster, which the operator removes later.',
  },
  {
    key: `${PREFIX}/propagation-paused`,
    kind: 'annotation',
    object: 'Karmada',
    setBy: 'operator',
    meaning:
      'Name of the KarmadaRestore after which nothing changes in member clusters: karmada-controller-manager, karmada-scheduler and karmada-descheduler have no Pods. Users may set and remove it too.',
  },
  {
    key: `${PREFIX}/spec-hash`,
    kind: 'annotation',
    object: 'Secret with the suffix last-ready-spec',
    setBy: 'operator',
    meaning: 'Hash of the last ready spec, which the Secret contains.',
  },
];

/** All documented keys, those that users set first. */
export const DOCUMENTED_KEYS: readonly DocumentedKey[] = [...SET_BY_USERS, ...SET_BY_OPERATOR];
