/**
 * Pause of the components that change member clusters: pure. After a restore the control plane may know less than its
 * member clusters run, and would delete or change their workloads.
 */
import type { Problem } from '../../api/reasons/problem.ts';
import type { Step } from '../../components/component.ts';
import { isWorkload } from '../../components/workload.ts';
import {
  desiredObject,
  type DesiredObject,
  type DesiredObjects,
} from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/**
 * Annotation of a Karmada that changes nothing in member clusters. The value names who paused it: names and UIDs of
 * KarmadaRestores, separated by commas, or any text of a user.
 */
export const PROPAGATION_PAUSED = 'operator.karmada.io/propagation-paused';

const PROPAGATING: ReadonlySet<Step> = new Set([
  'karmada-controller-manager',
  'karmada-scheduler',
  'karmada-descheduler',
]);

type Subject = Pick<Snapshot, 'karmada'>;

const isPropagationPaused = ({ karmada }: Subject): boolean =>
  karmada.metadata.annotations?.[PROPAGATION_PAUSED] !== undefined;

/** Whether a component does not run because of the annotation. */
export const isPausedComponent = (name: Step, subject: Subject): boolean =>
  PROPAGATING.has(name) && isPropagationPaused(subject);

/** Sets the replicas of these components to 0. */
export function withPausedPropagation(desired: DesiredObjects, subject: Subject): DesiredObjects {
  return isPropagationPaused(subject)
    ? { ...desired, objects: desired.objects.map(stopped) }
    : desired;
}

function stopped(item: DesiredObject): DesiredObject {
  const { cluster, step, object } = item;
  if (cluster !== 'host' || !PROPAGATING.has(step) || object.kind !== 'Deployment') return item;
  if (!isWorkload(object)) return item;
  const none = { ...object, spec: { ...object.spec, replicas: 0 } };
  return { ...desiredObject(cluster, step, none), ignoresOrder: true };
}

/** Problem of a control plane that does not propagate. @returns undefined while its data is restored */
export function propagationProblem(
  subject: Subject & Pick<Snapshot, 'etcdBootstrap'>,
): Problem | undefined {
  if (!isPropagationPaused(subject) || subject.etcdBootstrap?.recovery !== undefined)
    return undefined;
  return { reason: 'PropagationPaused', message: pausedText(subject) };
}

/** Why components do not run, with the command that compares the member clusters. */
export const pausedText = ({ karmada }: Subject): string =>
  `nothing is changed in member clusters, because of the annotation ${PROPAGATION_PAUSED} of the Karmada; compare them: ${compareCommand(karmada.metadata)}; see "Restore a backup" in docs/operate/backup-restore.md`;

/** Command that shows what the control plane would change in its member clusters. */
export const compareCommand = ({
  name,
  namespace = '',
}: {
  readonly name: string;
  readonly namespace?: string;
}): string => `kubectl karmada-operator propagation ${name} -n ${namespace}`;
