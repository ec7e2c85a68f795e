/**
 * What the roles of components lack, and the access reviews of components that leave the group `system:masters`. They write nothing.
 */
import type { Known, Learned, Round } from '../../actions/round.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { MAX_NAMED } from '../../api/listed.ts';
import { IDENTITIES } from '../../controlplane/rbac-rules.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { LackedPermissions, ReviewResult } from '../../instance/identity-reviews.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { SubjectAccessReview } from '../../kubernetes/objects/kinds.ts';
import { apiVersionOf, resources } from '../../kubernetes/objects/resources.ts';
import type { ClientComponent } from '../../pki/types.ts';
import { permissionText, reviewsOf } from './access-reviews.ts';
import { SWITCH_ORDER } from './decide-identities.ts';
import { isSwitching, NAMED_FOR_MS, recentReview, recorded, REVIEWED_FOR_MS } from './facts.ts';
import { areRolesApplied, lackedPermissions } from './lacked-permissions.ts';

interface Seen extends Known {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
}

/** Component whose review is due: that of the trial, or else the next one to leave the group. Undefined at rest. */
export function dueReview({ snapshot, view, before }: Seen): ClientComponent | undefined {
  if (!isSwitching(snapshot) || view === undefined || snapshot.controlPlane.state !== 'ready')
    return undefined;
  const { trial, proved, refused } = recorded(before);
  const isReady = before.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  const waiting = SWITCH_ORDER.filter(
    (component) =>
      view.identities[component] === 'masters' && !refused.has(component) && !proved.has(component),
  );
  const candidates = trial ? [trial.component] : isReady === true ? waiting : [];
  const maxAgeMs = trial ? ageOnTrial(snapshot) : REVIEWED_FOR_MS.waiting;
  const reviewOf = (component: ClientComponent): ReviewResult | undefined =>
    recentReview(component, snapshot, maxAgeMs);
  const next = candidates.find((component) => typeof reviewOf(component) !== 'object');
  return next !== undefined && reviewOf(next) === undefined ? next : undefined;
}

/** A role that lacks something may be that of the component on trial. */
const ageOnTrial = ({ lackedPermissions: lacked }: Snapshot): number =>
  lacked === undefined ? REVIEWED_FOR_MS.onTrial : REVIEWED_FOR_MS.inDoubt;

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

/** What roles lack, and what they lacked a short time ago: it is given back before a status may be written. */
function lackedNow(
  snapshot: Snapshot,
  before: LackedPermissions | undefined,
): LackedPermissions | undefined {
  const { now } = snapshot;
  const texts = lackedPermissions(snapshot);
  const recent = before !== undefined && Math.abs(now - before.at) < NAMED_FOR_MS;
  if (texts.length === 0) return recent ? before : undefined;
  const all = [...new Set([...texts, ...(recent ? before.texts : [])])];
  return { texts: all.slice(0, MAX_NAMED), at: now };
}

/** A component that waits for its trial is reviewed when its role is there. */
const isPrepared = ({ snapshot, before }: Seen): boolean =>
  recorded(before).trial !== undefined || areRolesApplied(snapshot);

async function observe(
  _tools: unknown,
  known: Seen,
  instance: Readonly<InstanceCache>,
): Promise<Learned<Seen>> {
  const { controlPlane, identityReviews: before = new Map() } = instance;
  const lacked = lackedNow(known.snapshot, instance.lackedPermissions);
  const snapshot = {
    ...known.snapshot,
    ...(before.size > 0 && { identityReviews: before }),
    ...(lacked && { lackedPermissions: lacked.texts }),
  };
  const remember = { lackedPermissions: lacked };
  const component = dueReview({ ...known, snapshot });
  if (component === undefined || controlPlane === undefined || !isPrepared(known))
    return { snapshot, remember };
  const { calls, client } = controlPlane;
  const key = `access reviews of ${component}`;
  // Without an answer nothing is decided, and the next check asks again.
  const answer = await calls
    .run(key, () => review(client, component, known.snapshot), true)
    .catch(() => 'late' as const);
  if (answer === 'late') return { snapshot, remember };
  const at = known.snapshot.now;
  const identityReviews = new Map([...before, [component, { result: answer.value, at }] as const]);
  return {
    snapshot: { ...snapshot, identityReviews },
    remember: { ...remember, identityReviews },
  };
}

/** It asks the control plane itself, and only while a component leaves the group. */
export const identitiesRound: Round<unknown, Seen> = { name: 'identities', observe };
