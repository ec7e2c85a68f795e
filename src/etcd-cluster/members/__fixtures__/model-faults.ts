/** Faults of nodes, volumes and members in the model. */
import type { EtcdModel } from './model.ts';
import type { Disk } from './model-objects.ts';

/** Deletes Pod and volume of an ordinal, as a lost node or a user would. */
export function lose(model: EtcdModel, ordinal: number): void {
  model.pods.delete(ordinal);
  model.disks.delete(ordinal);
  model.settle();
}

/** The node of an ordinal is lost or not ready, its data is corrupt, or it lags forever. */
export function damage(
  model: EtcdModel,
  ordinal: number,
  defect: NonNullable<Disk['defect']>,
): void {
  const disk = model.disks.get(ordinal);
  const pod = model.pods.get(ordinal);
  if (disk?.owner === undefined || disk.defect !== undefined || pod === undefined) return;
  if (defect === 'behind' && !pod.isRunning) return;
  disk.defect = defect;
  if (defect === 'nodeLost') model.pods.delete(ordinal);
  if (defect !== 'behind') pod.isRunning = false;
  model.settle();
}

/** The node of an ordinal returns, or its member receives the entries that it lacks. */
export function recover(model: EtcdModel, ordinal: number): void {
  const disk = model.disks.get(ordinal);
  if (disk === undefined || disk.defect === 'corrupt') return;
  delete disk.defect;
  model.settle();
}

export function restart(model: EtcdModel, ordinal: number): void {
  model.pods.delete(ordinal);
  model.settle();
}
