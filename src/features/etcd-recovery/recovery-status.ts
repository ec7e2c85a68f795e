/** What the status reports while etcd is recovered: pure. */
import type { Assessment } from '../../actions/assessment.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { ComponentName } from '../../components/component.ts';
import { ETCD_RECOVERING } from '../../etcd-cluster/recovery/reason.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isStoppedComponent } from './stop-clients.ts';

/** Returns why a component has no Pods; undefined if the recovery has not stopped it. */
export const stoppedByRecovery = (
  name: ComponentName,
  { host }: Pick<Snapshot, 'host'>,
): Problem | undefined =>
  isStoppedComponent(name, host)
    ? {
        reason: ETCD_RECOVERING,
        message:
          'the operator has stopped it, and starts it again when the data of etcd is replaced',
      }
    : undefined;

/** Whether etcd is recovered, and the recovery has not been without progress for too long. */
export const isRecovering = ({
  blocked,
  problem,
  progress,
  snapshot,
}: Pick<Assessment, 'blocked' | 'problem' | 'progress'> & {
  readonly snapshot: Pick<Snapshot, 'controlPlane'>;
}): boolean =>
  blocked?.reason === ETCD_RECOVERING &&
  problem === undefined &&
  snapshot.controlPlane.unobserved === undefined &&
  progress?.isOverdue === false;
