/** The round of a reconcile that takes the next step of a rotation. */
import type { ComponentName } from '../../api/component-catalog.ts';
import type { Action } from '../../actions/action.ts';
import {
  NOTHING,
  type Known,
  type Round,
  type RoundDecision,
  type RoundInput,
} from '../../actions/round.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { RotationSnapshot } from '../../instance/rotation-snapshot.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { RotationFacts } from './facts.ts';
import { nextRotationStep } from './next-step.ts';
import { labelsOf } from './pod-facts.ts';
import { observeRotation, type ObservedRotation, type RotationTools } from './observe.ts';
import { KUBELET_MS } from './proofs.ts';
import { formatRecord, type Rotation } from './record.ts';
import { withoutRoot } from './shared-trust.ts';
import { restartedComponents } from './restart-pods.ts';
import { endedRequests } from './signed-request.ts';
import {
  CERTIFICATE_ROTATION,
  rotationConditions,
  rotationDueAt,
  rotationStatus,
} from './status.ts';
import type { RotationDecision } from './step.ts';

/** What is known after the observation. */
interface KnownRotation extends Known {
  readonly observedRotation?: ObservedRotation;
}

/** After the certificates, which follow the record, and before the components, which restart for them. */
export const rotationRound: Round<RotationTools, KnownRotation> = {
  name: 'rotation',
  observe: async (tools, known, instance) => {
    const observedRotation = await observeRotation(tools, known, instance);
    return observedRotation ? { observedRotation } : {};
  },
  decide: ({ observedRotation, ...known }, { clock }) =>
    observedRotation === undefined ? NOTHING : decide(observedRotation, known, clock),
};

function decide(
  observation: ObservedRotation,
  known: Known,
  clock: RoundInput['clock'],
): RoundDecision<KnownRotation> {
  const facts = { ...observation.facts, now: clock.wall(), monotonic: clock.monotonic() };
  const decision = nextRotationStep(facts);
  const { snapshot } = known;
  const rotation = rotationSnapshot(facts, decision, snapshot);
  return {
    actions: actionsOf(decision, { ...observation, facts }, known),
    learn: ({ certificates }) => ({
      snapshot: { ...snapshot, rotation },
      ...(certificates?.outcome === 'ready' && { view: certificates.memo.view }),
      ...(certificates?.outcome === 'blocked' && { certificateProblem: certificates.problem }),
    }),
  };
}

function actionsOf(
  decision: RotationDecision,
  observation: ObservedRotation,
  { pki: inputs, snapshot }: Known,
): readonly Action[] {
  if (decision.kind === 'record') return recordActions(decision, observation);
  if (decision.kind === 'editShared') return editActions(decision, observation);
  if (decision.kind === 'write') {
    const { authority, writes } = decision;
    const isNew = writes.some(({ kind }) => kind === 'createSuccessor');
    const createsKey = authority === 'service-account-key' && isNew;
    return [{ kind: 'issueCertificates', inputs, snapshot, ...(createsKey && { createsKey }) }];
  }
  if (decision.kind !== 'hold') return [];
  const isPhase = PHASES_WITH_TOKENS.has(decision.reason);
  return [
    ...(isPhase && observation.lacksAccount ? [{ kind: 'createTokenAccount' as const }] : []),
    ...(observation.requests ?? []),
  ];
}

function recordActions(
  { record, message }: Extract<RotationDecision, { readonly kind: 'record' }>,
  { backup, facts }: ObservedRotation,
): readonly Action[] {
  if (backup === undefined) return [];
  const isLast = rotatesKeys(facts.record) && !rotatesKeys(record);
  const ended = 'fault' in facts.record ? [] : endedRequests(facts.record, record);
  const what = { isLast, endedRequests: ended };
  return [{ kind: 'recordRotation', backup, value: formatRecord(record), message, ...what }];
}

const rotatesKeys = (record: RotationFacts['record']): boolean =>
  !('fault' in record) &&
  record.rotations.some(({ authority }) => authority === 'service-account-key');

function editActions(
  { authority, without, message }: Extract<RotationDecision, { readonly kind: 'editShared' }>,
  { shared }: ObservedRotation,
): readonly Action[] {
  const configMap = shared?.configMap;
  if (configMap === undefined || authority === 'service-account-key') return [];
  const data = withoutRoot(configMap, authority, without);
  return [{ kind: 'editSharedTrust', configMap, data, message }];
}

/** Phases that end when each API server signs with the new key. */
const PHASES_WITH_TOKENS: ReadonlySet<string> = new Set(['Switching', 'Overlap']);

function rotationSnapshot(
  facts: RotationFacts,
  decision: RotationDecision,
  { karmada, host }: Pick<Snapshot, 'karmada' | 'host'>,
): RotationSnapshot {
  const { rotations } = 'fault' in facts.record ? NO_ROTATIONS : facts.record;
  const restarts =
    decision.kind === 'restart' ? restartedComponents(decision, facts, host) : undefined;
  const { others = [] } = restarts ?? {};
  const { name } = karmada.metadata;
  return {
    conditions:
      decision.kind === 'restart' && others.length > 0
        ? [restartCondition(decision, others, name)]
        : rotationConditions(facts, decision),
    ...(restarts && { restarts: restarts.own }),
    status: rotationStatus(facts),
    dueAt: Math.min(
      rotationDueAt(facts, decision),
      ...rotations.map((one) => settlesAt(one, facts.now)),
    ),
    unsettled: new Set(rotations.flatMap((one) => unsettledBy(one, facts.now))),
  };
}

const NO_ROTATIONS = { rotations: [] };

/** Their template has the present CAs and keys already. */
function restartCondition(
  { message }: Extract<RotationDecision, { readonly kind: 'restart' }>,
  components: readonly ComponentName[],
  name: string,
): ConditionDraft {
  const command = `kubectl karmada-operator restart ${name} ${components.join(' ')}`;
  return {
    type: CERTIFICATE_ROTATION,
    status: 'False',
    reason: 'RotationRestartRequired',
    message: `${message}; run ${command}`,
  };
}

const isSettled = ({ writtenAt }: Rotation, now: number): boolean =>
  writtenAt !== undefined && now >= writtenAt + KUBELET_MS;

/** When the Pods may restart. */
const settlesAt = (rotation: Rotation, now: number): number =>
  isSettled(rotation, now) || rotation.writtenAt === undefined
    ? Infinity
    : rotation.writtenAt + KUBELET_MS;

/** Components that would restart for what was written less than 90 seconds ago, and might mount what was there before. */
function unsettledBy(rotation: Rotation, now: number): readonly ComponentName[] {
  return isSettled(rotation, now) ? [] : labelsOf([rotation.authority]);
}
