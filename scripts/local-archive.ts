import { createReadStream } from 'node:fs';
import { verifyArchive } from '../src/archives/verify.ts';
import type { Karmada } from '../src/api/karmada.ts';
import { archiveFor, localRelease, type RenderFacts } from '../src/cli/render.ts';
import type { CrdArchive } from '../src/controlplane/crds.ts';
import { crdArchive } from './image/operator.ts';

/**
 * CRDs that a Karmada asks for, without fetching any.
 * @param crds a file to take in the place of the archive of the release
 * @throws Error when the Karmada names another archive and no file is given
 */
export async function localArchive(
  karmada: Karmada,
  facts: Pick<RenderFacts, 'defaultStorageClass'>,
  crds: string | undefined,
): Promise<CrdArchive> {
  const need = archiveFor(karmada, facts);
  const path = crds ?? (await crdArchive(localRelease(need)));
  return (await verifyArchive(createReadStream(path), need.expectation)).archive;
}
