/** Archives made in memory: honest and hostile ones. */
import { gzipSync } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import type { ArchiveEntry } from '../archive.ts';
import { base, patch } from './archive.ts';

export type TarEntry = readonly [
  header: Parameters<Pack['entry']>[0],
  content?: string | Uint8Array,
];

/** A tar with these entries, in their order. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content = ''] of entries)
    tar.entry(header, typeof content === 'string' ? content : Buffer.from(content));
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

export const gzippedTar = async (entries: readonly TarEntry[]): Promise<Buffer> =>
  gzipSync(await tarOf(entries));

export const toTarEntry = ({ path, text }: ArchiveEntry): TarEntry => [{ name: path }, text];

export async function* inPieces(bytes: Uint8Array, size = 100): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const PLURALS: readonly (readonly [group: string, plurals: string])[] = [
  ['apps.karmada.io', 'workloadrebalancers'],
  ['autoscaling.karmada.io', 'cronfederatedhpas federatedhpas'],
  [
    'config.karmada.io',
    'resourceinterpretercustomizations resourceinterpreterwebhookconfigurations',
  ],
  ['multicluster.x-k8s.io', 'serviceexports serviceimports'],
  ['networking.karmada.io', 'multiclusteringresses multiclusterservices'],
  [
    'policy.karmada.io',
    'clusteroverridepolicies clusterpropagationpolicies clustertaintpolicies federatedresourcequotas overridepolicies propagationpolicies',
  ],
  ['remedy.karmada.io', 'remedies'],
  ['work.karmada.io', 'clusterresourcebindings resourcebindings works'],
];

/** The files of a complete release, each with the smallest content that will do. */
export const RELEASE: readonly ArchiveEntry[] = [
  ...PLURALS.flatMap(([group, plurals]) => plurals.split(' ').map((plural) => base(group, plural))),
  patch('resourcebindings.work.karmada.io'),
  patch('clusterresourcebindings.work.karmada.io'),
  { path: 'crds/kustomization.yaml', text: 'resources: []\n' },
];

/** A complete release with its directories, and more entries behind them. */
export const releaseArchive = (more: readonly TarEntry[] = []): Promise<Buffer> =>
  gzippedTar([
    [{ name: 'crds/', type: 'directory' }],
    [{ name: 'crds/bases/', type: 'directory' }],
    [{ name: 'crds/patches/', type: 'directory' }],
    ...RELEASE.map(toTarEntry),
    ...more,
  ]);
