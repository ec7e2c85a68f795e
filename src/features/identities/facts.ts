/** Facts for the decision about identities, and its record in the status: pure. */
import type { StatusInput } from '../../actions/feature.ts';
import { CATALOG } from '../../api/component-catalog.ts';
import { allowsIdentities, leavesMasters } from '../../api/identities.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import type { Step } from '../../components/component.ts';
import { isWorkload } from '../../components/workload.ts';
import { keysOf, optionalField } from '../../kubernetes/objects/records.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { ReviewResult } from '../../instance/identity-reviews.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import { CLIENT_COMPONENTS } from '../../pki/inventory.ts';
import type { ClientComponent } from '../../pki/types.ts';
import { timestamp } from '../status/managed-conditions.ts';
import type { ComponentIdentity, IdentityFacts, Trial } from './decide-identities.ts';

/**
 * How long the result of a review counts, in milliseconds. That of a component on trial may be older: watches show what its role
 * lacks, and thousands of control planes may switch at the same time.
 */
export const REVIEWED_FOR_MS = { waiting: 60_000, onTrial: 300_000, inDoubt: 10_000 };

/** How long the status names what a role has lacked, in milliseconds. A new message may be written 16 seconds later. */
export const NAMED_FOR_MS = 30_000;

type Record = NonNullable<KarmadaStatus['componentIdentities']>;

/** Whether components of a running control plane that are in `system:masters` leave it. */
export const isSwitching = ({ karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>): boolean =>
  leavesMasters(karmada) && allowsIdentities(spec.components.karmadaAPIServer.imageTag);

/** What an earlier reconcile has recorded. */
export function recorded({
  componentIdentities: { trial, proved = [], refused = [] } = {},
}: KarmadaStatus): Pick<IdentityFacts, 'trial' | 'proved' | 'refused'> {
  const component = componentOf(trial?.component);
  const since = timeOf(trial?.since);
  const known = component !== undefined && since !== undefined;
  return {
    ...(known && {
      trial: {
        component,
        since,
        ...optionalField('readySince', timeOf(trial?.readySince)),
        ...optionalField('downSince', timeOf(trial?.downSince)),
      },
    }),
    proved: new Set(proved.flatMap((name) => componentOf(name) ?? [])),
    refused: new Map(
      refused.flatMap((row): [ClientComponent, string][] => {
        const name = componentOf(row.component);
        return name === undefined ? [] : [[name, row.message ?? '']];
      }),
    ),
  };
}

const componentOf = (suffix: string | undefined): ClientComponent | undefined =>
  CLIENT_COMPONENTS.find((component) => component === suffix);

function timeOf(text: string | undefined): number | undefined {
  const time = parseTime(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Record of a decision; undefined if there is nothing to record. */
export function recordOf({
  trial,
  refused,
  proved,
}: Pick<IdentityFacts, 'trial' | 'refused'> & {
  readonly proved: readonly ClientComponent[];
}): Record | undefined {
  if (trial === undefined && refused.size + proved.length === 0) return undefined;
  return {
    ...(trial && { trial: trialRecord(trial) }),
    ...(proved.length > 0 && { proved: [...proved] }),
    ...(refused.size > 0 && {
      refused: [...refused].map(([component, message]) => ({ component, message })),
    }),
  };
}

const trialRecord = ({ component, since, readySince, downSince }: Trial): Record['trial'] => ({
  component,
  since: timestamp(since),
  ...optionalField('readySince', readySince === undefined ? undefined : timestamp(readySince)),
  ...optionalField('downSince', downSince === undefined ? undefined : timestamp(downSince)),
});

/** Result of the latest review, if it is recent. */
export function recentReview(
  component: ClientComponent,
  { identityReviews, now }: Pick<Snapshot, 'identityReviews' | 'now'>,
  maxAgeMs: number,
): ReviewResult | undefined {
  const review = identityReviews?.get(component);
  const isRecent = review !== undefined && Math.abs(now - review.at) < maxAgeMs;
  return isRecent ? review.result : undefined;
}

/** Returns the facts. @param view of the certificates */
export function identityFacts(input: StatusInput, view: CertificatesView): IdentityFacts {
  const { snapshot, before } = input;
  return {
    components: keysOf(view.identities).flatMap((component) =>
      componentFacts(input, component, view.identities[component]),
    ),
    isSettled: isSettled(input),
    ...recorded(before),
    now: snapshot.now,
  };
}

/** Whether the control plane is complete, and nothing else changes it. */
const isSettled = ({
  isReady,
  unfinished,
  problem,
  blocked,
  rollout,
  before,
  snapshot,
}: StatusInput): boolean =>
  isReady &&
  unfinished.length === 0 &&
  problem === undefined &&
  blocked === undefined &&
  rollout.turn === 'go' &&
  before.upgrade === undefined &&
  snapshot.rollback === undefined;

function componentFacts(
  input: StatusInput,
  component: ClientComponent,
  identity: ComponentIdentity['identity'] | undefined,
): readonly ComponentIdentity[] {
  const { snapshot, states, before } = input;
  const step: Step | undefined = CATALOG.find(({ suffix }) => suffix === component)?.name;
  if (step === undefined || identity === undefined) return [];
  const isOnTrial = before.componentIdentities?.trial?.component === component;
  const maxAgeMs = REVIEWED_FOR_MS[isOnTrial ? 'onTrial' : 'waiting'];
  const review = recentReview(component, snapshot, maxAgeMs);
  const isComplete = states.get(step)?.state === 'complete';
  const isAvailable = isComplete && mountsOwnSecret(snapshot, component);
  const isDown = isNotServing(input, step);
  return [{ component, identity, isAvailable, isDown, ...optionalField('review', review) }];
}

/** Whether no Pods of a component serve, or its rollout makes no progress. Former Pods serve during an upgrade, however long that takes. */
function isNotServing({ states, progress }: StatusInput, step: Step): boolean {
  const { state, serves = false } = states.get(step) ?? {};
  return !serves || (state === 'progressing' && progress?.isOverdue === true);
}

/** Whether the Pods of a component use its Secret. Those of the Go operator use another one. */
function mountsOwnSecret(
  { karmada, host }: Pick<Snapshot, 'karmada' | 'host'>,
  component: ClientComponent,
): boolean {
  const { name } = karmada.metadata;
  const workload = host.objects.find(
    (object) => isWorkload(object) && object.metadata.name === instanceName(name, component),
  );
  if (workload === undefined || !isWorkload(workload)) return false;
  const secret = instanceName(name, `${component}-config`);
  const { volumes = [] } = workload.spec.template.spec;
  return volumes.some((volume) => volume.secret?.secretName === secret);
}
