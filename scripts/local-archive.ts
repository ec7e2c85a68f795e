import { createReadStream } from 'node:fs';
import { verifyArchive } from '../src/crd-archives/verify.ts';
import type { Karmada } from '../src/api/karmada.ts';
import { archiveFor, localRelease, type RenderFacts } from '../src/cli/render.ts';
import type { CrdArchive } from '../src/controlplane/crds.ts';
import { crdArchive } from './image/karmada-module.ts';

/**
 * Reads the CRDs for a Karmada from a file or from the Go module of the release, never from the source in the spec.
 * @param crds path of a file to use instead of the archive of the release
 * @throws Error when the Karmada specifies another archive and `crds` is undefined
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
