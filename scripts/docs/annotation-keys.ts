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

type Row = (
  key: string,
  kind: DocumentedKey['kind'],
  object: string,
  meaning: string,
) => DocumentedKey;

const rowOf =
  (setBy: DocumentedKey['setBy']): Row =>
  (key, kind, object, meaning) => ({ key, kind, object, setBy, meaning });

const byUser = rowOf('user');
const byOperator = rowOf('operator');

const SET_BY_USERS: readonly DocumentedKey[] = [
  byUser(
    `${PREFIX}/abandon-host`,
    'annotation',
    'Karmada',
    'UID of what is given up on a host cluster that is permanently lost. With the UID of the Karmada, its deletion continues without the host cluster. With the value of status.hostUID, the operator installs a new control plane without the old data. Other values have no effect.',
  ),
  byUser(
    `${PREFIX}/adoption`,
    'annotation',
    'Karmada',
    'Whether the operator adopts a control plane that the Go operator created: Automatic, DryRun (default) or Never. With DryRun, the condition Adopted lists the Pods that would restart. Without effect on other control planes.',
  ),
  byUser(
    `${PREFIX}/adopt-etcd`,
    'annotation',
    'Karmada',
    'Automatic: the operator may change an etcd that the Go operator created, one step at a time. Other values are invalid. Without it, the operator takes none of these steps. The condition EtcdAdopted lists the steps.',
  ),
  byUser(
    `${PREFIX}/allowed-namespaces`,
    'annotation',
    'Secret',
    'Namespaces whose Karmada objects may reference this Secret, separated by commas, or "*" for all. Required for a Secret in another Namespace, unless the operator runs with --cross-namespace-secrets=Any.',
  ),
  byUser(
    `${PREFIX}/component-identities`,
    'annotation',
    'Karmada',
    'Without it, and with Own, the client certificates of the components of a running control plane leave the group system:masters, one after the other; the condition ComponentIdentities reports it. Keep, and each other value: they keep what they have. Masters: all of them are in the group, for example before a downgrade of the operator.',
  ),
  byUser(
    `${PREFIX}/confirm-deletion`,
    'annotation',
    'Karmada',
    'UID of the Karmada: confirms its deletion although member clusters are joined, if spec.deletionPolicy is ConfirmMembers. Other values have no effect.',
  ),
  byUser(
    `${PREFIX}/disable-cascading-deletion`,
    'label',
    'Karmada',
    'With any value but "false", the operator keeps all objects of the control plane when the Karmada is deleted.',
  ),
  byUser(
    `${PREFIX}/etcd-recover-from`,
    'annotation',
    'Karmada',
    'Member of an etcd without a quorum, as MEMBER/CLUSTER_ID/REVISION, or as MEMBER/CLUSTER_ID/volume if no member responds. For a KarmadaRestore the operator sets restore:NAME/CLUSTER_ID/REVISION. The operator then rebuilds etcd from this member once. The condition EtcdHealthy has the value; other values have no effect. For an etcd of the Go operator that serves, whose members never formed one cluster or whose data is in an emptyDir, the revision is the lowest one that the member must have; see the migration page.',
  ),
  byUser(
    `${PREFIX}/etcd-recovery-mode`,
    'annotation',
    'Karmada',
    'With Automatic, the operator rebuilds an etcd without a quorum from the member with the newest data, if the PersistentVolumeClaims of a majority of the members do not exist any more. With other values, a user confirms the member with etcd-recover-from.',
  ),
  byUser(
    `${PREFIX}/etcd-take-over`,
    'annotation',
    'Karmada',
    'Data in an external etcd that the control plane takes over, although it is not its own: UID of the Namespace kube-system in it, etcd-CLUSTER_ID for keys of unknown origin, or empty-CLUSTER_ID without keys. The condition EtcdReady has the value; other values have no effect.',
  ),
  byUser(
    `${PREFIX}/etcd-start-empty`,
    'annotation',
    'Karmada',
    'ID of an etcd cluster whose data is lost. The operator then creates an empty etcd once. The message of the reason DataLost has the value.',
  ),
  byUser(
    `${PREFIX}/karmadas-of`,
    'label',
    'Namespace',
    'In a remote host cluster: UID of the Namespace kube-system of the management cluster whose Karmada objects may use this Namespace, or Any. The operator sets it on Namespaces that it creates.',
  ),
  byUser(
    `${PREFIX}/pause-repair`,
    'annotation',
    'any object of a control plane',
    'With the value "true", the operator neither repairs, changes nor deletes this object. The condition RepairPaused lists such objects.',
  ),
  byUser(
    `${PREFIX}/rotate`,
    'annotation',
    'Karmada',
    'What the operator replaces once: leaves for all certificates, names of certificates, or service-account-key, front-proxy-ca, etcd-ca or ca, then "/" and an ID that was not used before, such as leaves/2026-11-28, apiserver,etcd-peer/1 or service-account-key/1. The operator does not execute a value twice. The conditions CertificatesValid and CertificateRotation say why it does not execute a value.',
  ),
  byUser(
    `${PREFIX}/rotate-abort`,
    'annotation',
    'Karmada',
    'CA or key whose rotation is aborted, "/" and at least 16 digits of the SHA-256 of the new one, as in the condition CertificateRotation. Before the overlap the former one signs again; later, it only stays trusted until a user ends that. Other values have no effect.',
  ),
  byUser(
    `${PREFIX}/rotate-complete`,
    'annotation',
    'Karmada',
    'CA or key whose overlap ends, "/" and at least 16 digits of the SHA-256 of the former one. All tokens of a former key then become invalid. The condition CertificateRotation has the value; other values have no effect.',
  ),
  byUser(
    `restart.${PREFIX}/time`,
    'annotation',
    'component in spec.components',
    'Time of the last restart that the command restart of the kubectl plugin requested. The operator restarts the Pods of a component whose annotations change.',
  ),
];

const SET_BY_OPERATOR: readonly DocumentedKey[] = [
  byOperator(
    `${PREFIX}/features-in-use`,
    'annotation',
    'Karmada',
    'Features of the control plane that an older operator would misread, as NAME@VERSION with the first version that knows the feature, separated by commas. An operator that does not know one of them changes nothing (NewerOperatorRequired).',
  ),
  byOperator(
    'app.kubernetes.io/instance',
    'label',
    'all objects of a control plane',
    'Name of the Karmada.',
  ),
  byOperator(
    'app.kubernetes.io/managed-by',
    'label',
    'all objects of a control plane',
    'Always karmada-operator.',
  ),
  byOperator(
    'app.kubernetes.io/name',
    'label',
    'all objects of a control plane',
    'Name of the component.',
  ),
  byOperator(
    `${PREFIX}/access-hash`,
    'annotation',
    'Secret and Pod template of an estimator',
    'Hash of the connection settings of a member cluster. A change restarts the estimator.',
  ),
  byOperator(
    `${PREFIX}/applied-hash`,
    'annotation',
    'objects of a control plane',
    'Hash of the configuration that the operator applied last. The operator detects drift with it.',
  ),
  byOperator(
    `${PREFIX}/certificates-hash`,
    'annotation',
    'Pod template',
    'Hash of the certificates of the component, with the time of a restart that a rotation needed. A change restarts the Pods.',
  ),
  byOperator(
    `${PREFIX}/cluster`,
    'label',
    'objects of an estimator',
    'Name of the member cluster.',
  ),
  byOperator(
    `${PREFIX}/connections-since`,
    'annotation',
    'webhook configuration in the control plane',
    'Time (RFC 3339). The API server does not reuse connections to karmada-webhook that are older.',
  ),
  byOperator(
    `${PREFIX}/etcd-equal-revision`,
    'annotation',
    'StatefulSet of etcd',
    'Revision whose Pods differ from the Pod template only in values without effect, so the operator does not restart them.',
  ),
  byOperator(
    `${PREFIX}/etcd-initial-trust`,
    'annotation',
    'StatefulSet of etcd',
    'Hash of the CAs that the members trusted when an earlier version of the operator had started them. When these CAs change, the operator restarts the members.',
  ),
  byOperator(
    `${PREFIX}/etcd-join`,
    'annotation',
    'Pod of etcd',
    'Other members of the etcd cluster that this Pod may join without data. The operator removes it when the member has started.',
  ),
  byOperator(
    `${PREFIX}/etcd-joined`,
    'annotation',
    'Pod of etcd',
    'With the value "true", the Pod has joined the etcd cluster and contains its data.',
  ),
  byOperator(
    `${PREFIX}/etcd-kept`,
    'label',
    'PersistentVolumeClaim of etcd',
    'ID of the former etcd cluster whose data the volume has. A recovery kept it; the operator neither uses nor deletes it while the Karmada exists.',
  ),
  byOperator(
    `${PREFIX}/etcd-member`,
    'annotation',
    'PersistentVolumeClaim of etcd',
    'etcd cluster and etcd member whose data the volume holds. Back it up with the volume.',
  ),
  byOperator(
    `${PREFIX}/etcd-other-size-hash`,
    'annotation',
    'StatefulSet of etcd',
    'Hash of the Pod template with the timing flags of the other size: one etcd member, or several. The operator does not restart Pods with this hash.',
  ),
  byOperator(
    `${PREFIX}/etcd-record`,
    'annotation',
    'Secret with the suffix ca-backup',
    'etcd cluster of the control plane. The operator creates no new etcd cluster while this record names one with data.',
  ),
  byOperator(
    `${PREFIX}/etcd-recovery`,
    'annotation',
    'Pod and PersistentVolumeClaim of a recovery; Deployment that it stops',
    'Token of the new etcd cluster: the operator deletes only objects with the token of the recovery in progress. On a Deployment, the value of etcd-recover-from.',
  ),
  byOperator(
    `${PREFIX}/etcd-template-hash`,
    'annotation',
    'Pod template of etcd',
    'Hash of the Pod template without flags that an etcd member with data ignores.',
  ),
  byOperator(
    `${PREFIX}/etcd-trust-hash`,
    'annotation',
    'Pod template',
    'Hash of the CA of the external etcd. A change restarts the clients of etcd.',
  ),
  byOperator(
    `${PREFIX}/failed-change`,
    'annotation',
    'Secret with the suffix last-ready-spec',
    'Change of the spec that the operator rolled back, with its step and cause. The operator does not try a spec with this hash again.',
  ),
  byOperator(
    `${PREFIX}/fault-class`,
    'label',
    'Event of type Warning',
    'Whose fault the Event reports: operator, component, cluster, user or network. Absent if another condition has the cause.',
  ),
  byOperator(
    `${PREFIX}/finalizer`,
    'finalizer',
    'Karmada',
    'Keeps the Karmada until the operator has deleted the control plane.',
  ),
  byOperator(
    `${PREFIX}/narrow-access`,
    'annotation',
    'Secret of an estimator',
    'With the value "true", the Secret has the token of a least-privilege ServiceAccount in the member cluster, which the operator removes later.',
  ),
  byOperator(
    `${PREFIX}/propagation-paused`,
    'annotation',
    'Karmada',
    'Name and UID of each KarmadaRestore after which nothing changes in member clusters: karmada-controller-manager, karmada-scheduler and karmada-descheduler have no Pods. Users may set and remove it too.',
  ),
  byOperator(
    `${PREFIX}/rotation`,
    'annotation',
    'Secret with the suffix ca-backup',
    'Record of the rotations of CAs and keys: phase, SHA-256 of the former and the new key, and the requests that were executed. Do not change it: with a record that is not valid, the operator rotates nothing.',
  ),
  byOperator(
    `${PREFIX}/spec-hash`,
    'annotation',
    'Secret with the suffix last-ready-spec',
    'Hash of the last ready spec, which the Secret contains.',
  ),
];

/** All documented keys, those that users set first. */
export const DOCUMENTED_KEYS: readonly DocumentedKey[] = [...SET_BY_USERS, ...SET_BY_OPERATOR];
