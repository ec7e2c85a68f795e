/** First problem of the data of a control plane: pure. */
import type { Problem } from '../../api/problem.ts';
import { etcdProblem } from '../external-etcd/external-etcd.ts';
import { refusalProblem } from '../etcd-recovery/recovery-text.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Problem of the etcd data, or of the connection to an external etcd. */
export const dataProblem = (snapshot: Snapshot): Problem | undefined =>
  snapshot.etcd?.splitBrain ??
  refusalProblem(snapshot) ??
  snapshot.etcdBirth?.problem ??
  etcdProblem(snapshot);
