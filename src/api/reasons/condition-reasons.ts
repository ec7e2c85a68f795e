/** Conditions and reasons that the operator reports: the table behind docs/reference/conditions/. */
import { CATALOG } from '../component-catalog.ts';
import { ADOPTION_REASONS } from './adoption.ts';
import { BACKUP_REASONS } from './backups.ts';
import { CERTIFICATE_REASONS } from './certificates.ts';
import { CRD_ARCHIVE_REASONS } from './crd-archives.ts';
import { ETCD_REASONS } from './etcd.ts';
import { ETCD_CHANGE_REASONS } from './etcd-changes.ts';
import { ETCD_DATA_REASONS } from './etcd-data.ts';
import { EXTERNAL_ETCD_REASONS } from './external-etcd.ts';
import { HOST_REASONS } from './host-clusters.ts';
import { MEMBER_CLUSTER_REASONS } from './member-clusters.ts';
import { POD_REASONS } from './pods.ts';
import { PROGRESS_REASONS } from './progress.ts';
import { REQUEST_REASONS } from './requests.ts';
import { RESTORE_REASONS } from './restores.ts';
import type { ComponentCondition, ConditionReason, ConditionType } from './reason.ts';
import { ROTATION_REASONS } from './rotation.ts';
import { SPEC_REASONS } from './spec.ts';
import { VERSION_REASONS } from './versions.ts';

/** Tables of all reasons. */
type ReasonTables =
  | typeof ADOPTION_REASONS
  | typeof BACKUP_REASONS
  | typeof CERTIFICATE_REASONS
  | typeof CRD_ARCHIVE_REASONS
  | typeof ETCD_CHANGE_REASONS
  | typeof ETCD_DATA_REASONS
  | typeof ETCD_REASONS
  | typeof EXTERNAL_ETCD_REASONS
  | typeof HOST_REASONS
  | typeof MEMBER_CLUSTER_REASONS
  | typeof POD_REASONS
  | typeof PROGRESS_REASONS
  | typeof REQUEST_REASONS
  | typeof RESTORE_REASONS
  | typeof ROTATION_REASONS
  | typeof SPEC_REASONS
  | typeof VERSION_REASONS;

/** Reason of a condition or an Event. */
export type Reason = ReasonTables[number]['reason'];

/** A reason with the section of the documentation that describes what to do about it. */
export interface DocumentedReason extends ConditionReason<Reason> {
  /** Path in this repository, with an anchor. */
  readonly page: string;
}

const TROUBLESHOOT = 'docs/operate/troubleshoot.md';

/** Sections of the page about troubleshooting, with the reasons that they describe. */
const SECTIONS: readonly (readonly [anchor: string, readonly ConditionReason<Reason>[]])[] = [
  ['find-the-cause', PROGRESS_REASONS],
  ['errors-of-requests-and-objects', REQUEST_REASONS],
  ['warnings', [...SPEC_REASONS, ...VERSION_REASONS]],
  ['crd-archives', CRD_ARCHIVE_REASONS],
  ['components-and-pods', POD_REASONS],
  ['certificates', CERTIFICATE_REASONS],
  ['rotations-of-cas-and-keys', ROTATION_REASONS],
  ['local-etcd', [...ETCD_REASONS, ...ETCD_CHANGE_REASONS, ...ETCD_DATA_REASONS]],
  ['external-etcd', EXTERNAL_ETCD_REASONS],
  ['remote-host-clusters', HOST_REASONS],
  ['scheduler-estimators', MEMBER_CLUSTER_REASONS],
  ['control-planes-of-the-go-operator', ADOPTION_REASONS],
  ['backups-and-restores', [...BACKUP_REASONS, ...RESTORE_REASONS]],
];

/** All reasons of conditions and Events. */
export const CONDITION_REASONS: readonly DocumentedReason[] = SECTIONS.flatMap(
  ([anchor, reasons]) =>
    reasons.map((row) => ({ ...row, page: `${TROUBLESHOOT}#${row.section ?? anchor}` })),
);

interface DocumentedCondition {
  readonly type: ConditionType;
  /** Status of a control plane without errors; `absent` if the operator then removes the condition. */
  readonly healthy: 'True' | 'False' | 'absent';
  /** Whether `True` is the abnormal state. */
  readonly isBadWhenTrue?: true;
  /**
   * `never`: another condition reports the same; `changes`: none for the first condition in its normal state; `faults`: one for each
   * message about a fault, also if the condition is new, because it may be gone soon.
   */
  readonly events?: 'never' | 'changes' | 'faults';
  readonly meaning: string;
}

const component = (type: ComponentCondition, name: string): DocumentedCondition => ({
  type,
  healthy: 'True',
  meaning: `${name} runs as the spec requires and is ready.`,
});

/** All condition types of a Karmada, those of the whole control plane first. */
export const CONDITION_TYPES: readonly DocumentedCondition[] = [
  {
    type: 'Ready',
    healthy: 'True',
    meaning: 'All components run as the spec requires, and the control plane serves requests.',
  },
  {
    type: 'Progressing',
    healthy: 'False',
    events: 'never',
    meaning:
      'The operator installs or changes the control plane. False if it is complete or waits for the user.',
  },
  {
    type: 'Degraded',
    healthy: 'False',
    isBadWhenTrue: true,
    events: 'changes',
    meaning: 'An error affects the control plane.',
  },
  {
    type: 'Stalled',
    healthy: 'absent',
    isBadWhenTrue: true,
    events: 'never',
    meaning:
      'The operator cannot continue without user action. Tools that use kstatus report a failure.',
  },
  {
    type: 'Suspended',
    healthy: 'absent',
    meaning: 'The field spec.suspend is true, so the operator changes nothing.',
  },
  {
    type: 'Warning',
    healthy: 'absent',
    meaning:
      'A setting has no effect or may cause a failure; the control plane works. Several reasons are separated by commas.',
  },
  {
    type: 'RepairPaused',
    healthy: 'absent',
    isBadWhenTrue: true,
    meaning:
      'The operator does not repair objects with the annotation operator.karmada.io/pause-repair.',
  },
  {
    type: 'OperatorRollout',
    healthy: 'absent',
    meaning:
      'A new version of the operator changes Pods. True during the rollout of this control plane, False while it waits.',
  },
  {
    type: 'Adopted',
    healthy: 'absent',
    meaning:
      'The Go operator created the control plane, and this operator has not adopted it. It then changes only the status.',
  },
  {
    type: 'EtcdAdopted',
    healthy: 'absent',
    meaning:
      'The Go operator created the etcd, which still differs from an etcd of this operator. The message has the next step, or why there is none.',
  },
  {
    type: 'HostReachable',
    healthy: 'True',
    meaning: 'The operator reaches the remote host cluster. Absent for the management cluster.',
  },
  {
    type: 'CertificatesValid',
    healthy: 'True',
    meaning: 'The certificates of the control plane are valid, and the operator can renew them.',
  },
  {
    type: 'ComponentIdentities',
    healthy: 'absent',
    events: 'faults',
    meaning:
      'Components leave the group system:masters, a component stays in it, or its role has lost a permission.',
  },
  {
    type: 'CertificateRotation',
    healthy: 'absent',
    meaning:
      'A rotation replaces a CA or the key of ServiceAccount tokens. True in a phase, False while something holds it up or a request is not valid.',
  },
  {
    type: 'EtcdHealthy',
    healthy: 'True',
    events: 'changes',
    meaning: 'The etcd members report a quorum.',
  },
  ...CATALOG.filter(({ key }) => key !== 'karmadaSchedulerEstimator').map(({ condition, name }) =>
    component(condition, name),
  ),
  {
    type: 'SchedulerEstimatorReady',
    healthy: 'True',
    meaning:
      'Every selected member cluster has a ready karmada-scheduler-estimator. Not part of Ready.',
  },
];
