/** Facts about one Pod that do not depend on what is rotated: pure. */
import { COMPONENT } from '../../api/labels.ts';
import { CATALOG, type ComponentName } from '../../api/component-catalog.ts';
import { isPaused } from '../../instance/pause.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { Consumer } from '../../pki/specs.ts';
import { CONSUMERS } from './consumers.ts';
import type { RotationAuthority } from './authority.ts';
import type { PodFacts } from './facts.ts';

/** Workloads by component. */
export type Workloads = ReadonlyMap<Consumer, Replicated>;

/** Returns the components that use what is rotated, as the value of their label. */
export function labelsOf(authorities: readonly RotationAuthority[]): readonly ComponentName[] {
  const used = new Set<string>(
    authorities.flatMap((one) => CONSUMERS[one].map(({ component }) => component)),
  );
  return CATALOG.filter(({ suffix }) => used.has(suffix)).map(({ name }) => name);
}

/** Returns the component of a Pod or workload that uses an authority. */
export function consumerOf(
  { metadata }: Pick<KubernetesObject, 'metadata'>,
  authority: RotationAuthority,
): Consumer | undefined {
  const name = metadata.labels?.[COMPONENT];
  const suffix: string | undefined = CATALOG.find((one) => one.name === name)?.suffix;
  return CONSUMERS[authority].find(({ component }) => component === suffix)?.component;
}

/** Returns the number of Pods of each component that uses an authority. */
export const expectedPods = (
  workloads: Workloads,
  authority: RotationAuthority,
): ReadonlyMap<Consumer, number> =>
  new Map(
    CONSUMERS[authority].flatMap(({ component }) => {
      const workload = workloads.get(component);
      return workload === undefined ? [] : [[component, workload.spec?.replicas ?? 1] as const];
    }),
  );

/** Describes a Pod. @param shown what it has shown of itself */
export function podFactsOf(
  pod: Pod,
  component: Consumer,
  workload: Replicated | undefined,
  shown: Pick<PodFacts, 'probes' | 'presented'>,
): PodFacts {
  const isHeld = [pod, workload].some((one) => one !== undefined && isPaused(one));
  return {
    name: pod.metadata.name,
    component,
    ...startsOf(pod),
    ...(isTerminating(pod) && { isTerminating: true as const }),
    ...(isHeld && { isPaused: true as const }),
    ...shown,
  };
}

/** Starts of its containers; none while one does not run. */
function startsOf({ status }: Pod): Pick<PodFacts, 'startedAt' | 'lastStartedAt'> {
  const { containerStatuses = [] } = status ?? {};
  const times = containerStatuses.map(({ state }) => parseTime(state?.running?.startedAt));
  if (times.length === 0 || times.some((time) => Number.isNaN(time))) return {};
  const [startedAt, lastStartedAt] = [Math.min(...times), Math.max(...times)];
  return { startedAt, ...(lastStartedAt > startedAt && { lastStartedAt }) };
}
