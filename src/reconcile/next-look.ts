/** When a pass over an instance is due although nothing has happened: pure. */
import { spread, type Clock, type Random } from '../kubernetes/clock.ts';
import type { Assessment } from './status/assessment.ts';
import { awaitsFirstPods } from './etcd/birth/missing-pods.ts';
import type { Instance } from './instance.ts';
import { CACHE_GRACE_MS, changedSecret } from './observe.ts';
import type { Snapshot } from './snapshot.ts';
import { closedSteps } from './ways/ways.ts';
import { connectionsLeftInMs } from './ways/webhook-connections.ts';

const RESYNC_MS = 600_000;
/** While an instance is not ready, its pods are looked at again after this time even without events. */
const UNREADY_MS = 15_000;
/** An instance that waits to roll is asked when another one has ended, and after this time. */
const WAITING_MS = 60_000;
/** No event tells when the way to a component opens. */
const ASK_AGAIN_MS = 100;

/** What could not be read or is about to go is looked at again soon: no event tells of it. */
const EVIDENCE_AGAIN_MS = 1_000;
const FIRST_PODS_MS = 5_000;
/** A member of etcd that may not be restarted now may be soon. */
const HELD_RESTART_MS = 3_000;

/** When to look again if nothing happens, in milliseconds. */
export function nextLook(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  instance: Instance,
  { snapshot, view, unfinished, rollout }: Assessment,
  statusLeft: number,
): number {
  const memo = instance.certificates;
  const secrets = snapshot.host.objects.filter(({ kind }) => kind === 'Secret');
  const unsure = memo !== undefined && changedSecret(memo, secrets) !== undefined;
  const candidates = [
    RESYNC_MS * (1 + random() / 5),
    ...(unfinished.length > 0 ? [UNREADY_MS] : []),
    ...(unfinished.some(({ step }) => step === 'serving') ? unserved(instance, clock) : []),
    closedWays(instance) ? ASK_AGAIN_MS : Infinity,
    ...(view ? [Math.max(1_000, view.checkAt - clock.wall())] : []),
    unsure ? CACHE_GRACE_MS : Infinity,
    rollout.turn === 'wait' ? spread(WAITING_MS, random) : Infinity,
    ...(statusLeft > 0 ? [statusLeft] : []),
    connectionsLeftInMs(snapshot) ?? Infinity,
    heldRestartMs(instance),
    unsureBirthMs(snapshot),
    firstPodsMs(snapshot),
  ];
  return Math.min(...candidates);
}

const closedWays = ({ ways = new Map() }: Instance): boolean => closedSteps(ways).size > 0;

/** When a complete control plane that did not serve is asked again. */
const unserved = ({ unserved: known }: Instance, clock: Clock): readonly number[] =>
  known === undefined ? [] : [Math.max(1, known.nextAt - clock.monotonic())];

const heldRestartMs = ({ restartHeldSince }: Instance): number =>
  restartHeldSince === undefined ? Infinity : HELD_RESTART_MS;

const unsureBirthMs = ({ etcdBirth }: Snapshot): number =>
  etcdBirth?.isUnsure ? EVIDENCE_AGAIN_MS : Infinity;

/** No event tells of Pods that are not created. */
const firstPodsMs = (snapshot: Snapshot): number =>
  awaitsFirstPods(snapshot) ? FIRST_PODS_MS : Infinity;
