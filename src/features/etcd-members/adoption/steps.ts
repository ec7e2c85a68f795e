/**
 * How an etcd of the Go operator differs from one of this operator, and the steps that end the difference: pure. The
 * decision, the preview and the condition use the same list.
 */
import { clusterOf, type Member } from '../../../etcd-cluster/members/cluster.ts';
import { peerURL, type MemberFacts } from '../../../etcd-cluster/members/facts.ts';
import type { AdoptedEtcdFacts } from './facts.ts';

export interface AdoptionStep {
  readonly kind: 'record' | 'move' | 'template' | 'listHttps' | 'https' | 'endHttp';
  readonly isDone: boolean;
  /** What changes. */
  readonly change: string;
  /** How long clients wait. */
  readonly gap: string;
  readonly risk: string;
  /** How the user gets back to the state before the step. */
  readonly wayBack: string;
  /** Whether the Go operator can manage the control plane again after the step. */
  readonly canReturn: boolean;
}

const NO_GAP = 'no interruption';

/** Without one of two members the other one has no quorum. */
const gapOf = (members: number): string =>
  members > 2
    ? 'less than a second for each change of the leader'
    : 'the API of the control plane does not answer while each of the two members restarts, for some seconds';

const riskOf = (members: number): string =>
  members > 2
    ? 'while one member restarts, one fewer may fail; no member restarts before the others prove a quorum'
    : 'if a member does not start, the API stays unavailable until the cause is corrected; its data stays in its volume, and no member restarts before the other one is healthy';

const NO_RISK = 'no risk for the data';

/** Returns all steps in their order, also those that are done. */
export function adoptionSteps(facts: AdoptedEtcdFacts): readonly AdoptionStep[] {
  const { members } = facts;
  if (!facts.isDurable) return [record(facts), MOVE];
  const isSingle = members.replicas === 1;
  const { voters } = clusterOf(members);
  const steps = [record(facts), template(facts, isSingle)];
  if (!isSingle) steps.push(listHttps(members, voters), https(members));
  return [...steps, endHttp(members, voters, isSingle)];
}

/** Data in a Pod does not outlive a restart, so it is restored into a new etcd, which needs no further step. */
const MOVE: AdoptionStep = {
  kind: 'move',
  isDone: false,
  change:
    'save the data of the member that you name, restore it into a PersistentVolumeClaim, and replace the etcd by one of this operator',
  gap: 'the API of the control plane does not answer from the stop of the API servers until the restored member serves, usually for one to two minutes',
  risk: 'the Pod with the former data ends only after a member has started with the restored data and its last revision',
  wayBack:
    'until the former Pod ends, take the annotation off the Karmada; afterwards only by a restore from a backup',
  canReturn: false,
};

/** Returns the first step that is not done; undefined if etcd does not differ any more. */
export const nextAdoptionStep = (steps: readonly AdoptionStep[]): AdoptionStep | undefined =>
  steps.find(({ isDone }) => !isDone);

const record = ({ isRecorded, unrecordedClaims }: AdoptedEtcdFacts): AdoptionStep => ({
  kind: 'record',
  isDone: isRecorded && unrecordedClaims.length === 0,
  change: 'record the etcd cluster, its members and their PVCs',
  gap: NO_GAP,
  risk: NO_RISK,
  wayBack: 'none needed: the annotations have no effect on etcd',
  canReturn: true,
});

function template({ hasGoTemplate, members }: AdoptedEtcdFacts, isSingle: boolean): AdoptionStep {
  const isCurrent = members.pods.every(({ lacksPeerCertificate }) => lacksPeerCertificate !== true);
  const listens = members.pods.every(({ listensHttp }) => listensHttp !== true);
  const isDone = !hasGoTemplate && isCurrent && (!isSingle || listens);
  return isSingle
    ? {
        kind: 'template',
        isDone,
        change:
          'restart the member with the Pod template, the probes and the https listener of this operator',
        gap: 'the API of the control plane does not answer while the only member restarts, for some seconds',
        risk: 'if the member does not start, the API stays unavailable until the cause is corrected; its data stays in its volume',
        wayBack: 'the Go operator writes its Pod template again',
        canReturn: true,
      }
    : {
        kind: 'template',
        isDone,
        change:
          'restart one member after the other with the Pod template and the probes of this operator, still with http',
        gap: gapOf(members.replicas),
        risk: riskOf(members.replicas),
        wayBack: 'the Go operator writes its Pod template again',
        canReturn: true,
      };
}

const listHttps = (members: MemberFacts, voters: readonly Member[]): AdoptionStep => ({
  kind: 'listHttps',
  isDone:
    voters.length > 0 &&
    voters.every(({ ordinal, peerURLs }) =>
      peerURLs.includes(peerURL({ ...members, peers: 'https' }, ordinal)),
    ),
  change: 'list each member with an https URL besides its http URL',
  gap: NO_GAP,
  risk: NO_RISK,
  wayBack: 'none needed: members still accept http',
  canReturn: true,
});

const https = ({ peers, pods, replicas }: MemberFacts): AdoptionStep => ({
  kind: 'https',
  isDone: peers !== 'http' && pods.every(({ listensHttp }) => listensHttp !== true),
  change: 'restart one member after the other with the https listener',
  gap: gapOf(replicas),
  risk: riskOf(replicas),
  wayBack: 'only by a restore from a backup',
  canReturn: false,
});

const endHttp = (
  { peers }: MemberFacts,
  voters: readonly Member[],
  isSingle: boolean,
): AdoptionStep => ({
  kind: 'endHttp',
  isDone:
    peers !== 'http' &&
    voters.length > 0 &&
    voters.every(({ peerURLs }) => peerURLs.every((url) => url.startsWith('https://'))),
  change: 'remove the http URLs from the member list',
  gap: NO_GAP,
  risk: NO_RISK,
  wayBack: isSingle
    ? 'none needed: no other member uses the URL'
    : 'only by a restore from a backup',
  canReturn: isSingle,
});

/** One line for each step, for users. */
export const stepLines = (steps: readonly AdoptionStep[]): readonly string[] =>
  steps.map(
    ({ change, gap, risk, wayBack, canReturn, isDone }, index) =>
      `step ${String(index + 1)} of ${String(steps.length)}${isDone ? ' (done)' : ''}: ${change}; interruption: ${gap}; risk: ${risk}; return: ${wayBack}; the Go operator can take the control plane back afterwards: ${canReturn ? 'yes' : 'no'}`,
  );
