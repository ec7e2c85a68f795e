/** When a pass over an instance is due although nothing has happened: pure. */
import type { Clock, Random } from '../kubernetes/clock.ts';
import type { Assessment } from './status/assessment.ts';
import type { Instance } from './instance.ts';
import { CACHE_GRACE_MS, changedSecret } from './observe.ts';
import { askAgainMs } from './serving.ts';
import type { Snapshot } from './snapshot.ts';
import { closedSteps } from './ways/ways.ts';
import { connectionsLeftInMs } from './ways/webhook-connections.ts';

const RESYNC_MS = 600_000;
/** While an instance is not ready, its pods are looked at again after this time even without events. */
const UNREADY_MS = 15_000;
/** A control plane that has pods and does not answer is asked again soon. */
const ASK_AGAIN_MS = 100;

/** When to look again if nothing happens, in milliseconds. */
export function nextLook(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  instance: Instance,
  { snapshot, view, unfinished }: Assessment,
  statusLeft: number,
): number {
  const memo = instance.certificates;
  const secrets = snapshot.host.objects.filter(({ kind }) => kind === 'Secret');
  const unsure = memo !== undefined && changedSecret(memo, secrets) !== undefined;
  const candidates = [
    RESYNC_MS * (1 + random() / 5),
    ...(unfinished.length > 0 ? [UNREADY_MS] : []),
    ...(unfinished.some(({ step }) => step === 'serving')
      ? [askAgainMs(instance.inVain ?? 1)]
      : []),
    ...(mayHaveOpened(instance, snapshot) ? [ASK_AGAIN_MS] : []),
    ...(view ? [Math.max(1_000, view.checkAt - clock.wall())] : []),
    ...(unsure ? [CACHE_GRACE_MS] : []),
    ...(statusLeft > 0 ? [statusLeft] : []),
    connectionsLeftInMs(snapshot) ?? Infinity,
  ];
  return Math.min(...candidates);
}

/** Whether something is waited for that no event tells. */
function mayHaveOpened({ ways }: Instance, { controlPlane }: Snapshot): boolean {
  return controlPlane.ask === true || (ways !== undefined && closedSteps(ways).size > 0);
}
