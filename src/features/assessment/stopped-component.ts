/** Components that do not run because the operator has stopped them: pure. Their Deployments with 0 replicas are complete. */
import type { Problem } from '../../api/problem.ts';
import type { ComponentName } from '../../components/component.ts';
import { ETCD_RECOVERING } from '../../etcd-cluster/recovery/reason.ts';
import { isStoppedComponent } from '../etcd-recovery/stop-clients.ts';
import { isPausedComponent, pausedText } from '../propagation/propagation.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Returns why the operator has stopped a component; undefined if it runs. */
export function stoppedProblem(
  name: ComponentName,
  snapshot: Pick<Snapshot, 'karmada' | 'host'>,
): Problem | undefined {
  if (isPausedComponent(name, snapshot))
    return { reason: 'PropagationPaused', message: pausedText(snapshot) };
  if (!isStoppedComponent(name, snapshot.host)) return undefined;
  return {
    reason: ETCD_RECOVERING,
    message: 'the operator has stopped it, and starts it again when the data of etcd is replaced',
  };
}
