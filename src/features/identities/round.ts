/** The access reviews of components that leave the group `system:masters`. They write nothing. */
import type { Known, Learned, Round } from '../../actions/round.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { IDENTITIES } from '../../controlplane/rbac-rules.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { ReviewResult } from '../../instance/identity-reviews.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { SubjectAccessReview } from '../../kubernetes/kinds.ts';
import { apiVersionOf, resources } from '../../kubernetes/resources.ts';
import type { ClientComponent } from '../../pki/types.ts';
import { permissionText, reviewsOf } from './access-reviews.ts';
import { SWITCH_ORDER } from './decide-identities.ts';
import { isSwitching, recentReview, recorded } from './facts.ts';

interface Seen extends Known {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
}

/** Component whose review is due: that of the trial, or else the next one to leave the group. Undefined at rest. */
export function dueReview({ snapshot, view, before }: Seen): ClientComponent | undefined {
  const { controlPlane, identityReviews, now } = snapshot;
  if (!isSwitching(snapshot) || view === undefined || controlPlane.state !== 'ready')
    return undefined;
  const { trial, refused } = recorded(before);
  const isReady = before.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  const waiting = SWITCH_ORDER.filter(
    (component) => view.identities[component] === 'masters' && !refused.has(component),
  );
  const candidates = trial ? [trial.component] : isReady === true ? waiting : [];
  const next = candidates.find(
    (component) => typeof recentReview(component, identityReviews, now) !== 'object',
  );
  return next !== undefined && recentReview(next, identityReviews, now) === undefined
    ? next
    : undefined;
}

/** Reviews the permissions of one component, one after the other. @throws ApiError, NetworkError */
async function review(
  client: Pick<KubernetesClient, 'create'>,
  component: ClientComponent,
  input: Parameters<typeof reviewsOf>[1],
): Promise<ReviewResult> {
  const identity = IDENTITIES.find(({ suffix }) => suffix === component);
  if (identity === undefined) return { denied: 'anything, because it has no role' };
  const type = resources.SubjectAccessReview;
  for (const spec of reviewsOf(identity, input)) {
    const { status } = await client.create<SubjectAccessReview>({
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name: '' },
      spec,
    });
    if (status?.allowed !== true) return { denied: permissionText(spec) };
  }
  return 'allowed';
}

async function observe(
  _tools: unknown,
  known: Seen,
  { controlPlane, identityReviews: before = new Map() }: Readonly<InstanceCache>,
): Promise<Learned<Seen>> {
  const snapshot = { ...known.snapshot, identityReviews: before };
  const component = dueReview({ ...known, snapshot });
  if (component === undefined || controlPlane === undefined)
    return before.size === 0 ? {} : { snapshot };
  const { calls, client } = controlPlane;
  const key = `access reviews of ${component}`;
  // Without an answer nothing is decided, and the next check asks again.
  const answer = await calls
    .run(key, () => review(client, component, known.snapshot), true)
    .catch(() => 'late' as const);
  if (answer === 'late') return { snapshot };
  const at = known.snapshot.now;
  const identityReviews = new Map([...before, [component, { result: answer.value, at }] as const]);
  return { snapshot: { ...snapshot, identityReviews }, remember: { identityReviews } };
}

/** It asks the control plane itself, and only while a component leaves the group. */
export const identitiesRound: Round<unknown, Seen> = { name: 'identities', observe };
