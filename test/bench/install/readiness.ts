import type { Condition } from '../../../src/api/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';

/** Parts of a Deployment or StatefulSet that tell how far its rollout is. */
interface Workload {
  metadata: { generation?: number };
  spec?: { replicas?: number };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
  };
}

/** Whether all replicas of a Deployment or StatefulSet are of its present template and available, and no other is left. */
export function rolledOut(object: KubernetesObject): boolean {
  const { metadata, spec, status } = object as unknown as Workload;
  const wanted = spec?.replicas ?? 1;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return (
    status?.observedGeneration === metadata.generation && counts.every((count) => count === wanted)
  );
}

/** An answer of the Karmada API. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Conditioned {
  metadata: { name: string };
  status?: { conditions?: Condition[] };
}

/** Items of a list that is an answer, each with whether its condition is True. */
function conditions({ body }: Answer, condition: string): Map<string, boolean> {
  const { items } = JSON.parse(body) as { items: Conditioned[] };
  const holds = ({ status }: Conditioned): boolean =>
    status?.conditions?.some(({ type, status }) => type === condition && status === 'True') ??
    false;
  return new Map(items.map((item) => [item.metadata.name, holds(item)]));
}

/** A question to the Karmada API, and what its answer still lacks (undefined: nothing). */
export interface Check {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  missing(answer: Answer): string | undefined;
}

function all(answer: Answer, condition: string, expected: readonly string[]): string | undefined {
  if (answer.status !== 200) return `HTTP ${String(answer.status)}`;
  const found = conditions(answer, condition);
  const names = new Set([...expected, ...found.keys()]);
  const lacking = [...names].filter((name) => found.get(name) !== true);
  return lacking.length === 0 ? undefined : `not ${condition}: ${lacking.join(', ')}`;
}

/** A policy that the schema lets through and that only Karmada's own validation refuses: at least 2 and at most 1 group. */
const badPolicy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'refused', namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    placement: { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 1 }] },
  },
};

/**
 * What a control plane must answer to be ready, the cheap questions first: the webhook refuses a bad policy, every
 * APIService is Available, the CRDs are Established.
 * @param crds names of the CRDs
 * @param apiServices names of the APIServices
 */
export function controlPlaneChecks(
  crds: readonly string[],
  apiServices: readonly string[],
): Check[] {
  return [
    {
      method: 'POST',
      path: '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies?dryRun=All',
      body: badPolicy,
      missing: ({ status, body }) =>
        status >= 400 && body.includes('denied the request')
          ? undefined
          : `a bad policy is answered with HTTP ${String(status)}`,
    },
    {
      method: 'GET',
      path: '/apis/apiregistration.k8s.io/v1/apiservices',
      missing: (answer) => all(answer, 'Available', apiServices),
    },
    {
      method: 'GET',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      missing: (answer) => all(answer, 'Established', crds),
    },
  ];
}
