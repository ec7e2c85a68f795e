/** The rounds of a reconcile, in their order. To add one, add it here. */
import type { Action } from '../../actions/action.ts';
import type { Reconciled, Round } from '../../actions/round.ts';
import type { Templates } from '../../components/render.ts';
import { certificatesRound } from '../../features/certificates/round.ts';
import { firstServicesRound } from '../../features/components/round.ts';
import { bootstrapRounds } from '../../features/etcd-plan/bootstrap-rounds.ts';
import { externalEtcdRound } from '../../features/external-etcd/round.ts';
import { identitiesRound } from '../../features/identities/round.ts';
import {
  otherControlPlanes,
  type SiblingTools,
} from '../../features/operator-rollout/other-control-planes.ts';
import type { ReadinessCheckTools } from '../../features/readiness/check-readiness.ts';
import { readinessRound } from '../../features/readiness/round.ts';
import { remoteHostRound } from '../../features/remote-host/round.ts';
import type { RotationTools } from '../../features/rotation/observe.ts';
import { rotationRound } from '../../features/rotation/round.ts';
import { controlPlaneRound, type ControlPlaneRoundTools } from './control-plane-round.ts';
import type { ObserveTools } from './observe.ts';
import { statusRound, type JudgeLimits } from './status-round.ts';

/** What rounds read with. */
type Readers = ObserveTools & ReadinessCheckTools & Omit<RotationTools, 'host'>;

/**
 * Returns the rounds that prepare a control plane, in their order. A preview takes the same.
 * @param adoption actions that adopt objects of the Go operator, those of one round after the other
 */
export const preparingRounds = (
  templates: Templates,
  adoption: readonly (readonly Action[])[],
): readonly Round<unknown>[] => [
  ...adoption.map((actions) => ({ name: 'adoption', decide: () => ({ actions }) })),
  remoteHostRound,
  externalEtcdRound,
  firstServicesRound(templates),
  certificatesRound,
];

/** Returns all rounds of a reconcile, in their order. @param adoption see `preparingRounds` */
export const roundsOf = (
  tools: Omit<ControlPlaneRoundTools, 'siblings'> & SiblingTools & JudgeLimits,
  adoption: readonly (readonly Action[])[],
): readonly Round<Readers, Reconciled>[] => [
  ...preparingRounds(tools.templates, adoption),
  ...bootstrapRounds,
  identitiesRound,
  rotationRound,
  controlPlaneRound({ ...tools, siblings: (key) => otherControlPlanes(tools, key) }),
  readinessRound,
  statusRound(tools),
];
