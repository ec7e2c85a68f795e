/** Finalizers of the kinds of backups: pure. */
import type { PatchBackupObject } from '../../../actions/backup-action.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { ResourceType } from '../../../kubernetes/objects/resources.ts';

type Finalized = Pick<KubernetesObject, 'metadata'>;

const finalizersOf = ({ metadata }: Finalized): readonly string[] => metadata.finalizers ?? [];

export const hasFinalizer = (of: Finalized, finalizer: string): boolean =>
  finalizersOf(of).includes(finalizer);

/** Returns the action that sets a finalizer. */
export const addFinalizer = (
  type: ResourceType,
  of: Finalized,
  finalizer: string,
): PatchBackupObject => setFinalizers(type, of, [...finalizersOf(of), finalizer]);

/** Returns the action that removes a finalizer. */
export const removeFinalizer = (
  type: ResourceType,
  of: Finalized,
  finalizer: string,
): PatchBackupObject =>
  setFinalizers(
    type,
    of,
    finalizersOf(of).filter((one) => one !== finalizer),
  );

const setFinalizers = (
  type: ResourceType,
  of: Finalized,
  finalizers: readonly string[],
): PatchBackupObject => ({
  kind: 'setBackupFinalizers',
  type,
  of,
  patch: { metadata: { finalizers } },
});
