/** The Go module of a Karmada release, and the CRD archive that is packed from it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../tools/embedded-cluster/command.ts';
import { cacheDirectory } from '../../tools/embedded-cluster/paths.ts';
import { goEnvironment, goVersion } from '../../tools/embedded-cluster/toolchain.ts';
import { packCrds } from './crds.ts';

/** Returns the folder of the Go module of a Karmada release. Downloads it if the Go module cache does not have it. */
export async function karmadaModule(release: string): Promise<string> {
  await goVersion();
  const download = ['go', 'mod', 'download', '-json', `github.com/karmada-io/karmada@${release}`];
  const { Dir } = JSON.parse(await run(download, { cwd: '/', env: goEnvironment() })) as {
    Dir: string;
  };
  return Dir;
}

/** Returns the path of the CRD archive of a Karmada release, packed from the Go module of the release. */
export async function crdArchive(release: string): Promise<string> {
  const file = join(cacheDirectory(), 'crds', `crds-${release}.tar.gz`);
  if (existsSync(file)) return file;
  await packCrds(join(await karmadaModule(release), 'charts/karmada/_crds'), file);
  return file;
}
