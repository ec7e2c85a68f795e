/** Decides whether an etcd of the Go operator may change now: pure. */
import { ADOPT_ETCD, ADOPT_ETCD_ANNOTATION } from '../../../api/validation/adopt-etcd.ts';
import { listed } from '../../../api/listed.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import type { AdoptedEtcdFacts } from './facts.ts';
import { firstObstacle, urgentProblem } from './obstacles.ts';
import { adoptionSteps, nextAdoptionStep, type AdoptionStep } from './steps.ts';

export type EtcdAdoption =
  /** It does not differ from an etcd of this operator any more. */
  | { readonly kind: 'complete' }
  /** The user has not agreed to the next step. */
  | { readonly kind: 'pending'; readonly problem: Problem; readonly steps: readonly AdoptionStep[] }
  /** Only a user, or the recovery of a member, lets it continue. */
  | { readonly kind: 'blocked'; readonly problem: Problem; readonly steps: readonly AdoptionStep[] }
  | {
      readonly kind: 'step';
      readonly step: AdoptionStep;
      /** Whether nothing else of the control plane must come first. */
      readonly isReady: boolean;
      readonly problem: Problem;
      readonly steps: readonly AdoptionStep[];
    };

/** Decides about the next step. Without the consent of the user there is none. */
export function decideEtcdAdoption(facts: AdoptedEtcdFacts): EtcdAdoption {
  const steps = adoptionSteps(facts);
  const step = nextAdoptionStep(steps);
  if (step === undefined) return { kind: 'complete' };
  // A user must know of this before anything else.
  const urgent = facts.hasGoTemplate ? urgentProblem(facts) : undefined;
  if (urgent !== undefined) return { kind: 'blocked', problem: urgent, steps };
  const mayBegin = facts.isConfirmed || isBegun(facts, step);
  if (!mayBegin) return { kind: 'pending', problem: pending(facts, steps), steps };
  const obstacle = firstObstacle(facts);
  if (obstacle !== undefined) return { kind: 'blocked', problem: obstacle, steps };
  const isReady = !facts.hasGoPods && facts.hasPeerCertificate;
  return { kind: 'step', step, isReady, problem: progress(facts, steps, step), steps };
}

/** A step that has begun ends, also if the user withdraws the consent: its end is safer than a state in between. */
const isBegun = ({ hasGoTemplate, members }: AdoptedEtcdFacts, { kind }: AdoptionStep): boolean =>
  !hasGoTemplate && ((kind === 'template' && isRestarting(members)) || members.peers !== 'http');

/** Whether a Pod still has the former template. A single member with the new one may still lack https, which needs consent. */
const isRestarting = ({ pods }: AdoptedEtcdFacts['members']): boolean =>
  pods.some(({ lacksPeerCertificate }) => lacksPeerCertificate === true);

/** Whether the StatefulSet may lose the Pod template of the Go operator. */
export const mayReplaceTemplate = (adoption: EtcdAdoption): boolean =>
  adoption.kind === 'step' && adoption.isReady && adoption.step.kind !== 'record';

function pending({ karmada }: AdoptedEtcdFacts, steps: readonly AdoptionStep[]): Problem {
  const { name, namespace } = karmada;
  const annotation = `${ADOPT_ETCD_ANNOTATION}=${ADOPT_ETCD}`;
  const open = steps.filter(({ isDone }) => !isDone).map(({ change }) => change);
  return {
    reason: 'EtcdAdoptionPending',
    message: `etcd: the Go operator created it, and the operator changes nothing of it without your consent. Steps: ${listed(open).join(', ')}. Preview gaps and risks with "kubectl karmada-operator plan ${name} -n ${namespace} --patch '{"metadata":{"annotations":{"${ADOPT_ETCD_ANNOTATION}":"${ADOPT_ETCD}"}}}'"; to agree, take a backup and run "kubectl annotate karmada ${name} --namespace ${namespace} ${annotation}"`,
  };
}

function progress(
  { hasPeerCertificate, hasGoPods, secret }: AdoptedEtcdFacts,
  steps: readonly AdoptionStep[],
  step: AdoptionStep,
): Problem {
  const number = `step ${String(steps.indexOf(step) + 1)} of ${String(steps.length)}`;
  const awaited = hasGoPods
    ? '; it waits until no other component runs Pods of the Go operator'
    : hasPeerCertificate
      ? ''
      : `; it waits for the certificate etcd-peer.crt in ${secret}`;
  return {
    reason: 'EtcdAdopting',
    message: `etcd: ${number}: ${step.change}${awaited}; its version, members and volumes change only after the last step`,
  };
}
