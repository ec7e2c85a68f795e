/** The Go module of a Karmada release, and the CRD archive that is packed from it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { goModule } from '../../tools/embedded-cluster/go-module.ts';
import { cacheDirectory } from '../../tools/embedded-cluster/paths.ts';
import { packCrds } from './crds.ts';

/** Returns the folder of the Go module of a Karmada release. Downloads it if the Go module cache does not have it. */
export const karmadaModule = (release: string): Promise<string> =>
  goModule(`github.com/karmada-io/karmada@${release}`);

/** Returns the path of the CRD archive of a Karmada release, packed from the Go module of the release. */
export async function crdArchive(release: string): Promise<string> {
  const file = join(cacheDirectory(), 'crds', `crds-${release}.tar.gz`);
  if (existsSync(file)) return file;
  await packCrds(join(await karmadaModule(release), 'charts/karmada/_crds'), file);
  return file;
}
