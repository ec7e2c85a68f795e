import type { Condition } from '../../../src/api/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';

/** Fields of a Deployment or StatefulSet that show the state of its rollout. */
interface Workload {
  metadata: { generation?: number };
  spec?: { replicas?: number; updateStrategy?: { type?: string } };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
  };
}

/** Returns true if all replicas of a Deployment or StatefulSet have the current template and are available. */
export function rolledOut(object: KubernetesObject): boolean {
  const { metadata, spec = {}, status = {} } = object as unknown as Workload;
  const desired = spec.replicas ?? 1;
  const counts = [status.replicas, updatedOf(spec, status), status.availableReplicas];
  return (
    status.observedGeneration === metadata.generation && counts.every((count) => count === desired)
  );
}

/** With `OnDelete`, as for etcd, a new template may only be for the next start of a Pod. */
const updatedOf = (
  { updateStrategy }: NonNullable<Workload['spec']>,
  { replicas, updatedReplicas }: NonNullable<Workload['status']>,
): number | undefined => (updateStrategy?.type === 'OnDelete' ? replicas : updatedReplicas);

/** A response of the Karmada API. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Conditioned {
  metadata: { name: string };
  status?: { conditions?: Condition[] };
}

/** Parses a list response. @returns for each item by name, whether the condition is True */
function conditions({ body }: Answer, condition: string): Map<string, boolean> {
  const { items } = JSON.parse(body) as { items: Conditioned[] };
  const holds = ({ status }: Conditioned): boolean =>
    status?.conditions?.some(({ type, status }) => type === condition && status === 'True') ??
    false;
  return new Map(items.map((item) => [item.metadata.name, holds(item)]));
}

/** A request to the Karmada API; `missing` returns the problem in its response, or undefined if the check passed. */
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

/** A policy that is valid by its schema. Only the Karmada webhook rejects it: at least 2 and at most 1 group. */
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
 * Returns the readiness checks of a control plane, the cheapest first: the webhook rejects an invalid policy, every
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
          : `response to an invalid policy: HTTP ${String(status)}`,
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
