/**
 * Whether a control plane serves its users, as they would notice: what is asked before an instance is called
 * ready, and what the answers amount to. Pure.
 *
 * That pods are ready and APIServices Available does not say that the addresses of their Services lead to them
 * already: that is up to each node's proxy, which nothing waits for.
 */
import type { KarmadaStatus } from '../api/karmada.ts';
import { ApiError, errorText } from '../kubernetes/errors.ts';
import type { RawAnswer } from '../kubernetes/contract.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { ResourceType } from '../kubernetes/resources.ts';

export const PROPAGATION_POLICY: ResourceType = {
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'PropagationPolicy',
  plural: 'propagationpolicies',
  namespaced: true,
};

/** The schema takes it; karmada-webhook must not, as it asks for more groups than it allows. */
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

/** All of it: what a control plane can do without at install is long there when it is ready. */
export const READYZ_PATH = '/readyz';

/** What came back: an answer, or what was thrown in its place. */
export interface Answers {
  /** To a dry run of the contradictory policy; undefined when it was accepted. */
  readonly policy: unknown;
  readonly clusters: RawAnswer | Error;
  readonly readyz: RawAnswer | Error;
}

/** What does not answer yet, in whole sentences; empty when the control plane serves. */
export function unansweredOf({ policy, clusters, readyz }: Answers): readonly string[] {
  return [
    ...sentence('karmada-apiserver is not ready yet', readyz),
    ...webhookSentence(policy),
    ...sentence('the cluster API of karmada-aggregated-apiserver does not answer yet', clusters),
  ];
}

function webhookSentence(refusal: unknown): readonly string[] {
  if (refusal === undefined)
    return ['karmada-webhook is not asked yet: the Karmada API accepts a contradictory policy'];
  if (refusal instanceof ApiError && refusal.message.includes('denied the request')) return [];
  return [`karmada-webhook does not answer the Karmada API yet: ${errorText(refusal)}`];
}

function sentence(what: string, answer: RawAnswer | Error): readonly string[] {
  if (answer instanceof Error) return [`${what}: ${errorText(answer)}`];
  if (answer.status === 200) return [];
  return [`${what}: HTTP ${answer.status}${failedChecks(answer.body)}`];
}

/** Names of the checks that /readyz marks as failed, such as `etcd`. */
function failedChecks(body: string): string {
  const failed = [...body.matchAll(/^\[-\]([\w./-]{1,64})(?=\s|$)/gm)]
    .map(([, name]) => name)
    .slice(0, 10);
  return failed.length === 0 ? '' : ` (${failed.join(', ')})`;
}

/**
 * Whether an instance that lacks nothing has yet to show that it serves: when it is not called ready for this
 * generation of its spec. One that is stays so without being asked.
 */
export function mustShow(before: KarmadaStatus, generation: number | undefined): boolean {
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status !== 'True' || ready.observedGeneration !== generation;
}

const FIRST_PATIENCE_MS = 1_000;
const LONGEST_PATIENCE_MS = 5_000;

/**
 * How long to wait for an answer after so many questions in vain, in milliseconds. A connection that an API server
 * has begun before its node's proxy knew the way is lost; the next question makes it begin another.
 */
export function patienceMs(inVain: number): number {
  return Math.min(LONGEST_PATIENCE_MS, FIRST_PATIENCE_MS * 1.5 ** inVain);
}

const FIRST_DELAY_MS = 100;
const DELAY_MS = 5_000;
/** So often, for some minutes, it is asked again that soon. */
const OFTEN = 20;
const LONGEST_DELAY_MS = 90_000;

/** When to ask again after so many times in vain, in milliseconds: no event tells when it serves. */
export function askAgainMs(inVain: number): number {
  const early = Math.min(DELAY_MS, FIRST_DELAY_MS * 1.5 ** Math.max(0, inVain - 1));
  return Math.min(LONGEST_DELAY_MS, early * 1.5 ** Math.max(0, inVain - OFTEN));
}
