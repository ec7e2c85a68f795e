/** The Go module of a Karmada release, and the CRD archive that is packed from it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fields, isText } from '../../src/untrusted/checks.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { parseJson } from '../../tools/embedded-cluster/parse-json.ts';
import { cacheDirectory } from '../../tools/embedded-cluster/paths.ts';
import { goEnvironment, goVersion } from '../../tools/embedded-cluster/toolchain.ts';
import { packCrds } from './crds.ts';

const isModule = fields({ Dir: isText });

/** Returns the folder of the Go module of a Karmada release. Downloads it if the Go module cache does not have it. */
export async function karmadaModule(release: string): Promise<string> {
  await goVersion();
  const download = ['go', 'mod', 'download', '-json', `github.com/karmada-io/karmada@${release}`];
  const text = await run(download, { cwd: '/', env: goEnvironment() });
  return parseJson(text, isModule, download.join(' ')).Dir;
}

/** Returns the path of the CRD archive of a Karmada release, packed from the Go module of the release. */
export async function crdArchive(release: string): Promise<string> {
  const file = join(cacheDirectory(), 'crds', `crds-${release}.tar.gz`);
  if (existsSync(file)) return file;
  await packCrds(join(await karmadaModule(release), 'charts/karmada/_crds'), file);
  return file;
}
