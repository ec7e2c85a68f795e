/** Selects the objects whose Events may explain why a control plane is not ready: pure. */
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { isWorkload } from '../../components/workload.ts';
import type { PersistentVolumeClaim, Service } from '../../kubernetes/objects/kinds.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { isRolledOut } from '../../components/rollout.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { examinedPodsOf } from '../../causes/examined-pods.ts';
import { byName } from '../../causes/order.ts';

/** An object whose Events are read. */
export interface EventTarget {
  readonly uid: string;
  /** Changes when the Events of the object are likely to differ. */
  readonly state: string;
}

/** Limit of the reads for one control plane. */
const MAX_TARGETS = 12;

/** Returns the objects whose Events are read; empty for a control plane whose objects are ready. */
export function eventTargets({
  host,
}: {
  readonly host: Pick<Snapshot['host'], 'objects' | 'pods' | 'claims' | 'keptClaims'>;
}): readonly EventTarget[] {
  const objects = host.objects.toSorted(byName);
  const waiting = objects.filter((object) => isWorkload(object) && !isRolledOut(object));
  const pods = examinedPodsOf(waiting, host.pods);
  // While etcd is recovered, those for the restored data are not in use yet.
  const all = pods.length === 0 ? [] : [...host.claims, ...(host.keptClaims ?? [])];
  const claims = all.filter(isOpen).toSorted(byName);
  const services = objects.filter(awaitsAddress);
  // A Deployment has a condition about refused Pods; the controller of a StatefulSet reports them in Events only.
  const sets = waiting.filter(({ kind }) => kind === 'StatefulSet');
  return [...sets, ...pods, ...claims, ...services].flatMap(targetOf).slice(0, MAX_TARGETS);
}

function targetOf(object: KubernetesObject): readonly EventTarget[] {
  const { uid } = object.metadata;
  return uid === undefined ? [] : [{ uid, state: stateOf(object) }];
}

const isOpen = (claim: PersistentVolumeClaim): boolean => claim.status?.phase !== 'Bound';

/** Whether a Service waits for the address of a load balancer. */
function awaitsAddress(object: Service): boolean {
  const { spec, status } = object;
  const addresses = status?.loadBalancer?.ingress ?? [];
  return object.kind === 'Service' && spec?.type === 'LoadBalancer' && addresses.length === 0;
}

const reasonIn = (state: object | undefined): string =>
  state !== undefined && 'reason' in state ? String(state.reason) : '';

function stateOf(object: Pod): string {
  if (object.kind !== 'Pod') return '';
  const { containerStatuses = [] } = object.status ?? {};
  const scheduled = conditionOf(object, 'PodScheduled')?.status ?? '';
  const states = containerStatuses.map(({ restartCount = 0, state = {} }) =>
    [restartCount, ...Object.entries(state).flatMap(([name, of]) => [name, reasonIn(of)])].join(
      ' ',
    ),
  );
  return [scheduled, ...states].join(', ');
}
