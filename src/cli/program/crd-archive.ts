/** Loads the CRDs for a preview. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Karmada } from '../../api/karmada.ts';
import type { CrdArchive } from '../../controlplane/crds.ts';
import { verifyArchive } from '../../crd-archives/verify.ts';
import { archiveFor, localRelease, type RenderFacts } from '../render.ts';
import type { Environment } from './environment.ts';

/**
 * Reads the CRDs for a Karmada from a file or from the archives of this program, never from the source in the spec.
 * @param file path of `--crds`
 * @throws Error when the Karmada specifies another archive and there is no file
 */
export async function loadArchive(
  environment: Pick<Environment, 'crdArchive' | 'workingDirectory'>,
  karmada: Karmada,
  facts: Pick<RenderFacts, 'defaultStorageClass'> & { readonly file: string | undefined },
): Promise<CrdArchive> {
  const { file } = facts;
  const need = archiveFor(karmada, facts);
  const content =
    file === undefined
      ? await environment.crdArchive(localRelease(need))
      : createReadStream(resolve(environment.workingDirectory, file));
  return (await verifyArchive(content, need.expectation)).archive;
}
