/**
 * Functional checks before a control plane becomes Ready: requests and evaluation of the responses: pure.
 *
 * Ready Pods and Available APIServices do not prove that Service addresses work. kube-proxy on each node programs
 * them without a signal.
 */
import type { KarmadaStatus } from '../api/karmada.ts';
import { ApiError, errorText } from '../kubernetes/client/errors.ts';
import type { RawAnswer } from '../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { ResourceType } from '../kubernetes/objects/resources.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { webhookProblem } from './failed-webhook.ts';

export const PROPAGATION_POLICY: ResourceType = {
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'PropagationPolicy',
  plural: 'propagationpolicies',
  namespaced: true,
};

/** Valid for the CRD schema. karmada-webhook must reject it, because `minGroups` exceeds `maxGroups`. */
export const CONTRADICTORY_POLICY: KubernetesObject = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: PROPAGATION_POLICY.kind,
  metadata: { name: 'karmada-operator-asks', namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none' }],
    placement: {
      spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 1 }],
    },
  },
};

/** Served by karmada-aggregated-apiserver. */
export const CLUSTERS_PATH = '/apis/cluster.karmada.io/v1alpha1/clusters?limit=1';

/** The complete check. The parts that the installation excludes have passed long before this check. */
export const READYZ_PATH = '/readyz';

/** Responses or errors of the check requests. */
export interface ReadinessAnswers {
  /** Error of the dry run of the invalid policy; undefined if it was accepted. */
  readonly policy: unknown;
  readonly clusters: RawAnswer | Error;
  readonly readyz: RawAnswer | Error;
}

/** Returns one message per failed check; empty if all checks passed. */
export function failedReadinessChecks({
  policy,
  clusters,
  readyz,
}: ReadinessAnswers): readonly string[] {
  return [
    ...sentence('karmada-apiserver: readiness check failed', readyz),
    ...webhookSentence(policy),
    ...sentence('karmada-aggregated-apiserver: request to the cluster API failed', clusters),
  ];
}

/** Returns the problem that only the user can solve; undefined if the control plane may become ready without the user. */
export const readinessProblem = ({
  policy,
}: Pick<ReadinessAnswers, 'policy'>): Problem | undefined =>
  webhookProblem(policy, 'controlPlane', 'objects');

function webhookSentence(refusal: unknown): readonly string[] {
  if (refusal === undefined)
    return [
      'karmada-webhook: the API server does not call it yet (an invalid PropagationPolicy passed a dry run); the operator retries',
    ];
  if (refusal instanceof ApiError && refusal.message.includes('denied the request')) return [];
  const problem = readinessProblem({ policy: refusal });
  if (problem !== undefined) return [`${problem.message}; the operator retries`];
  return [
    `karmada-webhook: request from the API server failed (${errorText(refusal)}); the operator retries`,
  ];
}

function sentence(what: string, answer: RawAnswer | Error): readonly string[] {
  if (answer instanceof Error) return [`${what} (${errorText(answer)}); the operator retries`];
  if (answer.status === 200) return [];
  return [`${what} (HTTP ${answer.status}${failedChecks(answer.body)}); the operator retries`];
}

/** Length of a response in which names of failed checks are searched, in characters: that of kube-apiserver has some kB. */
const SEARCHED = 65_536;

/** Names of the checks that /readyz reports as failed, such as `etcd`. */
function failedChecks(body: string): string {
  const failed = [...body.slice(0, SEARCHED).matchAll(/^\[-\]([\w./-]{1,64})(?=\s|$)/gm)]
    .map(([, name]) => name)
    .slice(0, 10);
  return failed.length === 0 ? '' : `: ${failed.join(', ')}`;
}

/**
 * Whether a complete control plane must pass the functional checks: if it is not Ready for this generation. A Ready
 * control plane is not checked again.
 */
export function needsReadinessCheck(
  before: KarmadaStatus,
  generation: number | undefined,
): boolean {
  return !isReadyFor(before, generation);
}

/** Whether a status says that the control plane is Ready with this generation of the Karmada. */
export function isReadyFor({ conditions }: KarmadaStatus, generation: number | undefined): boolean {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === generation;
}

/** Functional checks of a control plane that failed. */
export interface FailedReadiness {
  /** One message per failed check. */
  readonly sentences: readonly string[];
  /** Problem that only the user can solve. */
  readonly problem?: Problem | undefined;
  /** Number of consecutive failures. */
  readonly failedAttempts: number;
  /** Earliest time of the next checks while the Pods stay the same, monotonic milliseconds. */
  readonly nextAt: number;
  /** Fingerprint of the Pods at the time of the checks. */
  readonly pods: string;
}

/** Whether a control plane that must pass the functional checks is checked now. */
export function isReadinessCheckDue(
  last: FailedReadiness | undefined,
  pods: string,
  monotonic: number,
): boolean {
  return last === undefined || last.pods !== pods || monotonic >= last.nextAt;
}

/** Number of consecutive failures with these Pods. Changed Pods start anew. */
export const failedAttemptsOf = (last: FailedReadiness | undefined, pods: string): number =>
  last?.pods === pods ? last.failedAttempts : 0;

const FIRST_CHECK_TIMEOUT_MS = 1_000;
const MAX_CHECK_TIMEOUT_MS = 5_000;

/**
 * Request timeout after `inVain` consecutive failures, in milliseconds. A connection that the API server opened
 * before kube-proxy programmed the Service is lost; the next request opens another one.
 */
export function checkTimeoutMs(inVain: number): number {
  return Math.min(MAX_CHECK_TIMEOUT_MS, FIRST_CHECK_TIMEOUT_MS * 1.5 ** inVain);
}

const FIRST_DELAY_MS = 100;
const DELAY_MS = 5_000;
/** Number of checks at the short interval; covers some minutes. */
const OFTEN = 20;
const MAX_DELAY_MS = 90_000;

/** Delay before the next check after `inVain` consecutive failures, in milliseconds. No event signals success. */
export function retryAfterMs(inVain: number): number {
  const early = Math.min(DELAY_MS, FIRST_DELAY_MS * 1.5 ** Math.max(0, inVain - 1));
  return Math.min(MAX_DELAY_MS, early * 1.5 ** Math.max(0, inVain - OFTEN));
}
