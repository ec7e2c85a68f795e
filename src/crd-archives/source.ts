/** Determines the source of the Karmada CRDs from the spec, and describes it in messages. Pure functions. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import type { ArchiveKeyReference, CrdTarball, HttpSource } from '../api/karmada.ts';
import { wantedVersions } from '../api/versions/wanted-versions.ts';

interface ForRelease {
  /** Karmada version of the CRDs, for example `v1.17.1`. Undefined if the image tag is not a version. */
  readonly release: string | undefined;
}

/** Archive of a Karmada release. It must exist in a data directory of the operator. */
export interface ReleaseSource {
  readonly kind: 'release';
  readonly url: string;
  readonly release: string;
}

export interface DownloadSource extends ForRelease {
  readonly kind: 'http';
  readonly url: string;
  readonly proxyUrl?: string;
  /** Trusted PEM certificates. They replace the well-known CAs. */
  readonly ca?: string;
  /** Lower-case hex. */
  readonly sha256?: string;
  /** Download again for each generation of the Karmada object. */
  readonly always: boolean;
  /** Whether the URL comes from the flag of the operator, not from the Karmada. */
  readonly isDefault?: true;
}

/** Key of a ConfigMap or Secret in the namespace of the Karmada object. */
export interface ObjectSource extends ForRelease {
  readonly kind: 'object';
  readonly object: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export type FetchedSource = DownloadSource | ObjectSource;
export type ArchiveSource = ReleaseSource | FetchedSource;

/** Default key of an archive in a ConfigMap or Secret. */
const DEFAULT_ARCHIVE_KEY = 'crds.tar.gz';

/** Part of a URL template that stands for the release. */
export const RELEASE_PLACEHOLDER = '{release}';

/** URL at which Karmada publishes the archive of a release. */
export const PUBLISHED_ARCHIVE = `https://github.com/karmada-io/karmada/releases/download/${RELEASE_PLACEHOLDER}/crds.tar.gz`;

/** Returns the URL of the archive of a release. @param template with `{release}` */
export const archiveUrlOf = (template: string, release: string): string =>
  template.replaceAll(RELEASE_PLACEHOLDER, release);

/** Returns the source of the archive of a release in a data directory of the operator. */
export const releaseSource = (release: string): ReleaseSource => ({
  kind: 'release',
  url: archiveUrlOf(PUBLISHED_ARCHIVE, release),
  release,
});

/** Returns the source of the archive of a release that the operator does not contain. */
export const publishedSource = (template: string, release: string): DownloadSource => ({
  kind: 'http',
  url: archiveUrlOf(template, release),
  always: false,
  isDefault: true,
  release,
});

/** Returns the source of a spec. Undefined if the spec sets none and its Karmada version is unknown. */
export function archiveSource(namespace: string, spec: DefaultedSpec): ArchiveSource | undefined {
  const { karmada: release } = wantedVersions(spec);
  const named = spec.crdTarball && namedSource(namespace, spec.crdTarball, release);
  if (named !== undefined) return named;
  return release === undefined ? undefined : releaseSource(release);
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

/** Returns the path of a preloaded archive in a data directory. As in the upstream operator, the URL selects it. */
export function readyPath(directory: string, url: string): string {
  return join(directory, 'cache', sha256(url), 'crds.tar.gz');
}

/**
 * Returns the cache key of a source, a SHA-256. The key contains everything that establishes trust, so an
 * archive fetched through one proxy or CA is never used for a Karmada with another. It excludes the policy.
 */
export function identityOf(source: FetchedSource): string {
  if (source.kind === 'object') {
    const { object, namespace, name, key, release } = source;
    return sha256(JSON.stringify([object, namespace, name, key, release]));
  }
  const { url, proxyUrl, ca, sha256: sum, release, isDefault } = source;
  const parts = [url, proxyUrl, ca, sum, release];
  // The messages of a failed download differ.
  return sha256(JSON.stringify(isDefault ? [...parts, 'default'] : parts));
}

/** Describes the source for messages, without secrets. */
export function spoken(source: ArchiveSource): string {
  if (source.kind !== 'object') return redacted(source.url);
  const { object, namespace, name, key } = source;
  return `${object} ${namespace}/${name}, key ${key}`;
}

/** Returns the path of the spec field that sets a source. */
export function fieldOf(source: FetchedSource): string {
  if (source.kind === 'http')
    return source.isDefault ? 'spec.crdTarball' : 'spec.crdTarball.httpSource.url';
  return source.object === 'ConfigMap'
    ? 'spec.crdTarball.configMapRef'
    : 'spec.crdTarball.secretRef';
}

const SHOWN = 200;

/** Returns a URL for messages, without user, password, query and fragment, which may be secret. */
export function redacted(url: string): string {
  if (!URL.canParse(url)) return '(invalid URL, not shown)';
  const { protocol, host, pathname, search } = new URL(url);
  const text = `${protocol}//${host}${pathname}`;
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return search === '' ? short : `${short}?…`;
}
