/** Images for the Jobs and the waiting containers of the chart `karmada`, because the embedded cluster pulls none: of cfssl and of kubectl. */
import type { LayerEntry } from '../../../scripts/image/archive.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { ensureTools } from '../../../tools/embedded-cluster/tools.ts';
import { busyboxLayer, loadArchive } from '../../harness/busybox-images.ts';
import type { Session } from '../install/session.ts';

const APPLETS = [
  'sh',
  'base64',
  'cat',
  'cp',
  'echo',
  'grep',
  'mkdir',
  'mv',
  'nc',
  'sed',
  'sleep',
  'tr',
  'wc',
];

/** The Jobs create both root CAs with `openssl req`, with these options. cfssl creates the same kind of CA. */
const OPENSSL = `#!/bin/sh
set -e
while [ $# -gt 0 ]; do
  case "$1" in
    -days) days=$2 ;;
    -newkey) size=\${2#rsa:} ;;
    -keyout) key=$2 ;;
    -out) out=$2 ;;
  esac
  shift
done
request="{\\"CN\\":\\"ca\\",\\"ca\\":{\\"expiry\\":\\"$((days * 24))h\\"},\\"key\\":{\\"algo\\":\\"rsa\\",\\"size\\":$size}}"
echo "$request" | cfssl gencert -initca - | cfssljson -bare /tmp/ca
mv /tmp/ca.pem "$out"
mv /tmp/ca-key.pem "$key"
`;

/** The API server waits with `curl` until etcd, which does not speak HTTP there, closes a connection: code 52. Otherwise it is 7. */
const CURL = `#!/bin/sh
for endpoint; do :; done
nc -w 2 "\${endpoint%:*}" "\${endpoint##*:}" < /dev/null || exit 7
exit 52
`;

/** The scripts of the Jobs need no more than a POSIX shell. */
const BASH = { path: 'bin/bash', content: '#!/bin/sh\nexec sh "$@"\n', mode: 0o755 };

/** Entries of both images, by the reference in the values of the chart. */
async function layers({ progress }: Session): Promise<ReadonlyMap<string, readonly LayerEntry[]>> {
  const { busybox } = await ensureTools(progress);
  const base = [...busyboxLayer(busybox, APPLETS), BASH];
  const names = ['cfssl', 'cfssljson', 'kubernetes'] as const;
  const { cfssl, cfssljson, kubernetes } = await ensureBinaries(names, progress);
  return new Map([
    [
      'docker.io/cfssl/cfssl:latest',
      [
        ...base,
        { path: 'bin/cfssl', file: cfssl, mode: 0o755 },
        { path: 'bin/cfssljson', file: cfssljson, mode: 0o755 },
        { path: 'bin/openssl', content: OPENSSL, mode: 0o755 },
        { path: 'bin/curl', content: CURL, mode: 0o755 },
      ],
    ],
    [
      'docker.io/bitnamisecure/kubectl:latest',
      [...base, { path: 'bin/kubectl', file: kubernetes, mode: 0o755 }],
    ],
  ]);
}

/** Loads the images into the cluster of a session. */
export async function loadChartImages(session: Session): Promise<void> {
  for (const [reference, entries] of await layers(session)) {
    const images = [{ tags: [reference], command: ['sh'], environment: { PATH: '/bin' } }];
    await loadArchive(session.cluster, { name: 'chart', entries, images });
  }
}
