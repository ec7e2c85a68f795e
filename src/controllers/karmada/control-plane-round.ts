/** The round that changes the components of a control plane: its decision, and the assessment of what was executed. */
import type { ExecutionResult } from '../../actions/execution-result.ts';
import type { Learned, Reconciled, Round, RoundInput } from '../../actions/round.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { Redactions } from '../../causes/redactions.ts';
import type { Templates } from '../../components/render.ts';
import type { RolloutLimit, Sibling } from '../../instance/rollout-turn.ts';
import { BACKUP_STEP } from '../../instance/upgrade-backup.ts';
import { assess } from './assess.ts';
import { decide, type Decision } from './decide.ts';
import { withLastingBlocks } from './lasting-blocks.ts';
import type { FeatureReaders } from './features.ts';
import { observeInBackground } from './observe.ts';

export interface ControlPlaneRoundTools {
  readonly templates: Templates;
  readonly rolloutLimit: RolloutLimit;
  /** The other control planes of this operator. @param key `namespace/name` of the Karmada */
  readonly siblings: (key: string) => readonly Sibling[];
}

/** It decides about all components in one plan. Its memory changes at once, so that no two control planes take the last place of a rollout. */
export const controlPlaneRound = (
  tools: ControlPlaneRoundTools,
): Round<FeatureReaders, Reconciled> => ({
  name: 'control plane',
  toleratesErrors: true,
  isLasting: true,
  observe: async (readers, { snapshot }, instance) => {
    observeInBackground('beforePlan', { tools: readers, instance }, snapshot);
    return {};
  },
  decide: (known, input) => {
    const decision = decideOn(tools, known, input.instance);
    const { probes, rollout, desiredState, plan } = decision;
    return {
      actions: plan.actions,
      remember: {
        probes,
        announcesRollout: rollout.turn === 'announce',
        ...(desiredState && { rendered: desiredState.rendered }),
      },
      learn: (outcome) => assessed(known, decision, outcome, input),
    };
  },
});

function decideOn(
  { templates, rolloutLimit: limit, siblings }: ControlPlaneRoundTools,
  { snapshot, view, before }: Reconciled,
  { key, changedGeneration, reachability = new Map(), rendered }: RoundInput['instance'],
): Decision {
  const { generation } = snapshot.karmada.metadata;
  const isChanged = generation !== undefined && changedGeneration === generation;
  const returns = snapshot.rollback !== undefined && before.upgrade?.phase !== 'RolledBack';
  const isRequested = isChanged || returns || isNext(before);
  const rollout = { before, isRequested, siblings: () => siblings(key), limit };
  return decide(templates, { snapshot, view, reachability, rendered, rollout });
}

/** Whether a user requested the upgrade that follows, or its first step, maybe before the operator started. */
const isNext = ({ upgrade }: KarmadaStatus): boolean =>
  upgrade !== undefined && (upgrade.phase === undefined || upgrade.step === BACKUP_STEP);

function assessed(
  { snapshot, view, certificateProblem, before }: Reconciled,
  { rollout, desiredState, plan: decided }: Decision,
  outcome: ExecutionResult,
  { instance, clock }: RoundInput,
): Learned<Reconciled> {
  const { redactions = new Redactions() } = instance;
  const { plan, remember } = withLastingBlocks(instance, decided, outcome, clock.monotonic());
  const desired = desiredState?.desired;
  const seen = { snapshot, view, before, certificateProblem, desired, plan, outcome };
  const assessment = assess({ ...seen, rollout, redactions });
  return { change: { assessment, outcome }, remember: { ...remember, redactions } };
}
