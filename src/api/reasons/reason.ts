/** Shape of a documented condition reason, and the condition types that several reasons share. */
import type { CATALOG } from '../component-catalog.ts';
import type { Fault } from './fault.ts';

/** Condition of one component of a control plane. */
export type ComponentCondition = (typeof CATALOG)[number]['condition'];

/** Type of a condition in `status.conditions`. */
export type ConditionType =
  | ComponentCondition
  | 'Adopted'
  | 'CertificateRotation'
  | 'CertificatesValid'
  | 'ComponentIdentities'
  | 'Degraded'
  | 'EtcdAdopted'
  | 'EtcdHealthy'
  | 'HostReachable'
  | 'OperatorRollout'
  | 'Progressing'
  | 'Ready'
  | 'RepairPaused'
  | 'Stalled'
  | 'Suspended'
  | 'Warning';

/** Kind of another object whose conditions the operator writes. */
type OtherKind =
  'KarmadaBackup' | 'KarmadaBackupSchedule' | 'KarmadaBackupStore' | 'KarmadaRestore' | 'Pod';

/**
 * Where a reason appears: a condition type, `components` for every component condition, `Event` for a reason that no
 * condition has, `plan` for the output of the `plan` command, a kind for the conditions of its objects.
 */
export type ReportedIn = ConditionType | 'components' | 'Event' | 'plan' | OtherKind;

export interface ConditionReason<Name extends string = string> {
  /** CamelCase, stable for alerts and scripts. */
  readonly reason: Name;
  readonly types: readonly ReportedIn[];
  readonly fault: Fault;
  /** What the reason says about the control plane. */
  readonly meaning: string;
  /** What the user does about it. */
  readonly action: string;
  /** Anchor in docs/operate/troubleshoot.md, if it is not that of the group of reasons. */
  readonly section?: string;
}

/** Returns the rows, with their reasons as a union type. */
export const reasonTable = <const Name extends string>(
  rows: readonly ConditionReason<Name>[],
): readonly ConditionReason<Name>[] => rows;

/** Conditions of an error that requires user action. */
export const PROBLEM = ['Degraded', 'Progressing', 'Stalled'] as const;

/** Conditions of a blocked change; `Ready` then has the reason `ChangeBlocked`. */
export const BLOCKED = ['Progressing', 'Stalled'] as const;

/** Action for a state that ends without the user. */
export const NO_ACTION = 'No action is needed.';
