/** Explains the components of a control plane that are not ready: pure. */
import type { Problem } from '../../api/reasons/problem.ts';
import type { ComponentName } from '../../components/component.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { firstPodsProblem } from '../etcd-bootstrap/missing-pods.ts';
import { memberDown } from '../etcd-members/read-facts.ts';
import { reportedPods } from '../etcd-members/reported-pods.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { certain, type Cause } from '../../causes/cause.ts';
import {
  allSettings,
  componentCause,
  subjectOf,
  workloadOf,
} from '../../causes/component-cause.ts';
import { isServed } from '../../causes/consequences.ts';
import { Redactions } from '../../causes/redactions.ts';

const EXPLAINED = COMPONENTS.filter(({ perCluster }) => perCluster === undefined);

/**
 * Returns why components are not ready, as far as it is known.
 * @param redactions of earlier calls for the same Karmada
 */
export function componentCauses(
  snapshot: Snapshot,
  redactions: Redactions = new Redactions(),
): ReadonlyMap<ComponentName, Cause> {
  const { host, spec, rollback, now } = snapshot;
  const whole = { spec, target: rollback?.target, objects: host.objects };
  const found = new Map<ComponentName, Cause>();
  const { events = [] } = snapshot.events ?? {};
  const seen = { ...host, pods: reportedPods(snapshot), events, now };
  const live = new Map(EXPLAINED.map((one) => [one.name, workloadOf(one, whole)]));
  const redactionOf = redactions.of(allSettings(EXPLAINED, whole));
  for (const component of EXPLAINED) {
    const around = { ...seen, isServed: isServed(component.name, live) };
    const cause = componentCause(subjectOf(component, whole, redactionOf), around);
    if (cause !== undefined) found.set(component.name, cause);
  }
  const cause = etcdCause(snapshot, found.get('etcd'));
  if (cause !== undefined) found.set('etcd', cause);
  return found;
}

/** What the members of etcd report, what is known of its Pods, or that none were created, in this order. */
function etcdCause(snapshot: Snapshot, known: Cause | undefined): Cause | undefined {
  const stronger = snapshot.etcd?.splitBrain ?? memberDown(snapshot);
  if (stronger === undefined && known !== undefined) return known;
  const problem = stronger ?? firstPodsProblem(snapshot);
  return problem && certain(problem.reason, problem.message);
}

/** Returns the causes that are failures already, in upgrade order. */
export const failuresIn = (causes: ReadonlyMap<ComponentName, Cause>): readonly Problem[] =>
  COMPONENTS.flatMap(({ name }) => causes.get(name) ?? [])
    .filter(({ isCertain }) => isCertain)
    .map(({ reason, message }) => ({ reason, message }));
