/** Result of one reconcile, from which the status follows: plain values. */
import type { Problem } from '../api/reasons/problem.ts';
import type { Warning } from '../api/warnings/warning.ts';
import type { Cause } from '../causes/cause.ts';
import type { ComponentName, Step } from '../components/component.ts';
import type { StepState } from '../components/rollout.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { DesiredObjects } from '../instance/desired-objects.ts';
import type { RolloutTurn } from '../instance/rollout-turn.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import type { BackupStep } from '../instance/upgrade-backup.ts';
import type { Waiting } from '../instance/waiting.ts';
import type { ExecutionResult } from './execution-result.ts';

/** What is no component and no group of objects. */
type OtherStep = 'certificates' | 'removal' | 'serving' | 'exposure' | 'next-release';

/** What a control plane lacks to be ready. */
export interface Unfinished {
  readonly step: Step | BackupStep | OtherStep;
  readonly message: string;
  /** It is no cause of other steps that wait, so that these are reported too. */
  readonly isSeparate?: true;
}

export interface Assessment {
  readonly snapshot: Snapshot;
  /** Undefined while there are no certificates. */
  readonly view: CertificatesView | undefined;
  /** Desired objects; undefined while there are no certificates. */
  readonly desired: DesiredObjects | undefined;
  /** What came of the actions. */
  readonly outcome: Pick<ExecutionResult, 'problems' | 'lateSteps'>;
  readonly states: ReadonlyMap<Step, StepState>;
  /** By step, why the plan does not write its objects now. */
  readonly waiting: ReadonlyMap<Step, Waiting>;
  readonly unfinished: readonly Unfinished[];
  /** First problem that requires user action or a retry. */
  readonly problem: Problem | undefined;
  /** Why components are not ready, as far as it is known. Uncertain causes are no problems yet. */
  readonly causes: ReadonlyMap<ComponentName, Cause>;
  /** Why certificates are not issued. */
  readonly certificateProblem: Problem | undefined;
  readonly warnings: readonly Warning[];
  /** Whether Pods roll, or wait to roll, for a new version of the operator. */
  readonly rollout: RolloutTurn;
  /** First blocked change. */
  readonly blocked: BlockedChange | undefined;
  /** Progress of a control plane that is not ready. `lastAt`: wall clock in milliseconds. */
  readonly progress?: { readonly lastAt: number; readonly isOverdue: boolean };
}
