/** Reviews of permissions and tokens: a stub allows everything. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';

const RULE = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

const STATUS: Readonly<Record<string, object>> = {
  selfsubjectaccessreviews: { allowed: true },
  subjectaccessreviews: { allowed: true },
  selfsubjectrulesreviews: { resourceRules: [RULE], nonResourceRules: [], incomplete: false },
  tokenreviews: { authenticated: true, user: { username: 'stub', groups: ['system:masters'] } },
};

/** Response to a review; undefined for any other resource. Nothing is stored. */
export function reviewed(plural: string, body: KubernetesObject): KubernetesObject | undefined {
  const status = STATUS[plural];
  return status && { ...body, metadata: { ...(body.metadata as object) } as never, status };
}
