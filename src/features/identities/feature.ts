import type { CheckInput, Feature, StatusInput } from '../../actions/feature.ts';
import { allowsIdentities, leavesMasters } from '../../api/identities.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { decideIdentities } from './decide-identities.ts';
import { identityFacts, isSwitching, recordOf } from './facts.ts';

/** Delay of the next check while a component leaves the group: Pods may be unavailable for 30 seconds. */
const CHECK_MS = 15_000;

const TYPE = 'ComponentIdentities';

/** Record of the next decision. It is written before the certificate changes. */
function statusFields(input: StatusInput): Partial<KarmadaStatus> {
  const { view, before, snapshot } = input;
  if (!isSwitching(snapshot)) return {};
  const { componentIdentities: kept } = before;
  const record = view === undefined ? kept : recordOf(decideIdentities(identityFacts(input, view)));
  return record === undefined ? {} : { componentIdentities: record };
}

const condition = (
  reason: 'IdentitySwitching' | 'IdentityRefused',
  message: string,
): readonly ConditionDraft[] => [{ type: TYPE, status: 'False', reason, message }];

/** Condition of a control plane that has components in the group; an empty list when none is left, or none shall leave it. */
function conditions(input: StatusInput): readonly ConditionDraft[] {
  const { view, snapshot } = input;
  if (!leavesMasters(snapshot.karmada)) return [];
  const { imageTag } = snapshot.spec.components.karmadaAPIServer;
  if (!allowsIdentities(imageTag))
    return condition(
      'IdentityRefused',
      `spec.components.karmadaAPIServer.imageTag: ${JSON.stringify(imageTag)} is not known to be Kubernetes 1.30 or newer, so all components stay in the group system:masters; upgrade Kubernetes`,
    );
  if (view === undefined) return [];
  const facts = identityFacts(input, view);
  const { trial, findings } = decideIdentities(facts);
  const left = facts.components.filter(({ identity }) => identity === 'masters');
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
function msUntilCheck({ snapshot, view }: CheckInput): number {
  if (!isSwitching(snapshot) || view === undefined) return Infinity;
  const { componentIdentities: { trial, refused = [] } = {} } = snapshot.karmada.status ?? {};
  const given = new Set(refused.map(({ component }) => component));
  const isLeft = Object.entries(view.identities).some(
    ([component, identity]) => identity === 'masters' && !given.has(component),
  );
  return isLeft || trial !== undefined ? CHECK_MS : Infinity;
}

/** The components of a running control plane leave the group `system:masters`, when its user asks for it. */
export const identities = {
  name: 'identities of components',
  conditions,
  statusFields,
  msUntilCheck,
} satisfies Feature<unknown>;
