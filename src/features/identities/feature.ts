import type { CheckInput, Feature, StatusInput, StatusReport } from '../../actions/feature.ts';
import { allowsIdentities, asksForOwn } from '../../api/identities.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  decideIdentities,
  FAILED_AFTER,
  provedComponents,
  type IdentityDecision,
  type IdentityFacts,
} from './decide-identities.ts';
import { identityFacts, isSwitching, NAMED_FOR_MS, recordOf } from './facts.ts';

/** Delay of the next check while a component leaves the group, and while its Pods are not available, in milliseconds. */
const CHECK_MS = { available: 60_000, down: FAILED_AFTER / 2 };

const TYPE = 'ComponentIdentities';

/** Record of the next decision, which is written before the certificate changes, and the condition of the same decision. */
function report(input: StatusInput): StatusReport {
  const { view, before, snapshot } = input;
  const lacking = lackingCondition(snapshot);
  if (!isSwitching(snapshot))
    return { conditions: [...lacking, ...refusedVersion(snapshot)].slice(0, 1), fields: {} };
  if (view === undefined) return { conditions: lacking, fields: recordField(before) };
  const facts = identityFacts(input, view);
  const decision = decideIdentities(facts);
  const componentIdentities = recordOf({ ...decision, proved: provedComponents(facts, decision) });
  return {
    conditions: [...lacking, ...switchCondition(facts, decision)].slice(0, 1),
    fields: recordField({ ...(componentIdentities && { componentIdentities }) }),
  };
}

const recordField = ({ componentIdentities }: KarmadaStatus): Partial<KarmadaStatus> =>
  componentIdentities === undefined ? {} : { componentIdentities };

const condition = (
  reason: 'IdentityRoleChanged' | 'IdentitySwitching' | 'IdentityRefused',
  message: string,
): readonly ConditionDraft[] => [{ type: TYPE, status: 'False', reason, message }];

/** Names what another client has taken from the roles. The same reconcile applies them again. */
const lackingCondition = ({ lackedPermissions = [] }: Snapshot): readonly ConditionDraft[] =>
  lackedPermissions.length === 0
    ? []
    : condition('IdentityRoleChanged', `Karmada API: ${lackedPermissions.join('; ')}`);

/** Without an explicit request, an old version of Kubernetes is no fault. */
function refusedVersion({ karmada, spec }: Snapshot): readonly ConditionDraft[] {
  const { imageTag } = spec.components.karmadaAPIServer;
  if (!asksForOwn(karmada) || allowsIdentities(imageTag)) return [];
  return condition(
    'IdentityRefused',
    `spec.components.karmadaAPIServer.imageTag: ${JSON.stringify(imageTag)} is not known to be Kubernetes 1.30 or newer, so all components stay in the group system:masters; upgrade Kubernetes`,
  );
}

/** Condition of a control plane that has components in the group; an empty list when none is left. */
function switchCondition(
  { components }: IdentityFacts,
  { trial, findings }: IdentityDecision,
): readonly ConditionDraft[] {
  const left = components.filter(({ identity }) => identity === 'masters');
  if (findings.size > 0)
    return condition(
      'IdentityRefused',
      [...findings]
        .map(([component, cause]) => `${component}: stays in the group system:masters: ${cause}`)
        .join('; '),
    );
  if (trial === undefined && left.length === 0) return [];
  const waiting = left.filter(({ component }) => component !== trial?.component);
  const tried = trial && `${trial.component}: uses an identity of its own for the first time`;
  const others =
    waiting.length > 0 &&
    `still in the group system:masters: ${waiting.map(({ component }) => component).join(', ')}`;
  return condition('IdentitySwitching', [tried, others].filter(Boolean).join('; '));
}

/** No event signals that a trial is over. */
function msUntilCheck(input: CheckInput): number {
  const isNamed = input.snapshot.lackedPermissions !== undefined;
  return Math.min(msUntilDecision(input), isNamed ? NAMED_FOR_MS : Infinity);
}

function msUntilDecision({ snapshot, view }: CheckInput): number {
  if (!isSwitching(snapshot) || view === undefined) return Infinity;
  const { componentIdentities: { trial, refused = [] } = {} } = snapshot.karmada.status ?? {};
  const given = new Set(refused.map(({ component }) => component));
  const isLeft = Object.entries(view.identities).some(
    ([component, identity]) => identity === 'masters' && !given.has(component),
  );
  if (trial?.downSince !== undefined) return CHECK_MS.down;
  return isLeft || trial !== undefined ? CHECK_MS.available : Infinity;
}

/** The components of a running control plane leave the group `system:masters`, unless its user holds it. */
export const identities = {
  name: 'identities of components',
  report,
  msUntilCheck,
} satisfies Feature<unknown>;
