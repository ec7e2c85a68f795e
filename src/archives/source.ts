/** Where the CRDs of an instance come from, and how that is told to its users. Pure. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DefaultedSpec } from '../api/defaults.ts';
import type { ArchiveKeyReference, CrdTarball, HttpSource } from '../api/crd-tarball.ts';
import { wantedVersions } from '../api/wanted-versions.ts';

interface ForRelease {
  /** Version of Karmada the CRDs are for, such as `v1.17.1`; undefined when its tag does not tell. */
  readonly release: string | undefined;
}

/** The archive of a release, which has to lie in a data directory. */
export interface ReleaseSource extends ForRelease {
  readonly kind: 'release';
  readonly url: string;
}

export interface DownloadSource extends ForRelease {
  readonly kind: 'http';
  readonly url: string;
  readonly proxyUrl?: string;
  /** PEM certificates to trust in the place of the well-known ones. */
  readonly ca?: string;
  /** Lower-case hex. */
  readonly sha256?: string;
  /** Downloaded anew for each generation of the Karmada. */
  readonly always: boolean;
}

/** A key of an object in the Karmada's namespace. */
export interface ObjectSource extends ForRelease {
  readonly kind: 'object';
  readonly object: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export type FetchedSource = DownloadSource | ObjectSource;
export type ArchiveSource = ReleaseSource | FetchedSource;

/** Key of an archive in a ConfigMap or Secret when the reference names none. */
const DEFAULT_ARCHIVE_KEY = 'crds.tar.gz';

/** Where a release's archive is published. */
const releaseUrl = (version: string): string =>
  `https://github.com/karmada-io/karmada/releases/download/${version}/crds.tar.gz`;

/** Source that a spec names; undefined when it names none and its Karmada version cannot be told. */
export function archiveSource(namespace: string, spec: DefaultedSpec): ArchiveSource | undefined {
  const { karmada: release } = wantedVersions(spec);
  const named = spec.crdTarball && namedSource(namespace, spec.crdTarball, release);
  if (named !== undefined) return named;
  return release === undefined ? undefined : { kind: 'release', url: releaseUrl(release), release };
}

function namedSource(
  namespace: string,
  tarball: CrdTarball,
  release: string | undefined,
): FetchedSource | undefined {
  const { httpSource, configMapRef, secretRef, crdDownloadPolicy } = tarball;
  if (httpSource?.url) return download(httpSource, crdDownloadPolicy === 'Always', release);
  const object = (kind: ObjectSource['object'], { name = '', key }: ArchiveKeyReference) =>
    ({
      kind: 'object',
      object: kind,
      namespace,
      name,
      key: key || DEFAULT_ARCHIVE_KEY,
      release,
    }) as const;
  if (configMapRef) return object('ConfigMap', configMapRef);
  return secretRef && object('Secret', secretRef);
}

function download(
  { url = '', proxy, caBundle, sha256 }: HttpSource,
  always: boolean,
  release: string | undefined,
): DownloadSource {
  return {
    kind: 'http',
    url: url.trim(),
    ...(proxy?.proxyURL && { proxyUrl: proxy.proxyURL.trim() }),
    ...(caBundle && { ca: Buffer.from(caBundle, 'base64').toString('utf8') }),
    ...(sha256 && { sha256: sha256.toLowerCase() }),
    always,
    release,
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Place of an archive that was laid ready below a data directory, as upstream has it: by its address. */
export function readyPath(directory: string, url: string): string {
  return join(directory, 'cache', sha256(url), 'crds.tar.gz');
}

/**
 * What makes two sources the same one. All that decides whom to trust is part of it: what one Karmada
 * fetched through its own proxy or CA is never given to another. The policy is not.
 */
export function identityOf(source: FetchedSource): string {
  if (source.kind === 'object') {
    const { object, namespace, name, key, release } = source;
    return sha256(JSON.stringify([object, namespace, name, key, release]));
  }
  const { url, proxyUrl, ca, sha256: sum, release } = source;
  return sha256(JSON.stringify([url, proxyUrl, ca, sum, release]));
}

/** The source in words, without anything that may be secret. */
export function spoken(source: ArchiveSource): string {
  if (source.kind !== 'object') return redacted(source.url);
  const { object, namespace, name, key } = source;
  return `${object} ${namespace}/${name}, key ${key}`;
}

/** Field that names a source. */
export function fieldOf(source: FetchedSource): string {
  if (source.kind === 'http') return 'spec.crdTarball.httpSource.url';
  return source.object === 'ConfigMap'
    ? 'spec.crdTarball.configMapRef'
    : 'spec.crdTarball.secretRef';
}

const SHOWN = 200;

/** A URL for people: user, password, query and fragment, which may be secret, are not in it. */
export function redacted(url: string): string {
  if (!URL.canParse(url)) return '(a URL that is not shown)';
  const { protocol, host, pathname, search } = new URL(url);
  const text = `${protocol}//${host}${pathname}`;
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return search === '' ? short : `${short}?…`;
}
