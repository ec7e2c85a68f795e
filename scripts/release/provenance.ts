/** The provenance of a release (in-toto Statement v1, SLSA provenance v1), unsigned. */
import { parseContainer, type Container } from './containers.ts';
import type { Part } from './parts.ts';

export interface Build {
  readonly version: string;
  readonly repository: string;
  readonly commit: string;
  /** URL of the source repository; undefined if the caller does not name it. */
  readonly source: string | undefined;
  /** URI of the system that built the release. */
  readonly builder: string;
  /** Image of the container of the build; undefined without a container. */
  readonly container: string | undefined;
  /** Version of Go, which downloads the modules of Karmada. */
  readonly go: string;
}

/** Builder of a release that somebody built on their own machine. */
export const LOCAL_BUILDER = 'urn:karmada-operator-ts:builder:local';

const containerDependency = ({ image, sha256 }: Container): object => ({
  name: 'container',
  uri: `docker://${image}`,
  digest: { sha256 },
});

/**
 * Returns the statement. It has no time stamps, so two builds of a commit have the same one.
 * @param digests SHA-256 in hex by name of the file or image
 * @param lockDigest SHA-256 of package-lock.json, which fixes the build tools
 */
export function provenance(
  build: Build,
  digests: Readonly<Record<string, string>>,
  { parts, lockDigest }: { parts: readonly Part[]; lockDigest: string },
): object {
  const { version, repository, commit, source } = build;
  const container = parseContainer(build.container ?? '');
  const uri = source === undefined ? {} : { uri: `git+${source}@${commit}` };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.keys(digests)
      .sort()
      .map((name) => ({ name, digest: { sha256: digests[name] ?? '' } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:karmada-operator-ts:build:npm-run-release:v1',
        externalParameters: { version, repository },
        internalParameters: { go: build.go },
        resolvedDependencies: [
          { name: 'source', ...uri, digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lockDigest } },
          ...(container === undefined ? [] : [containerDependency(container)]),
          ...parts.map(({ purl, checksum }) => ({
            uri: purl,
            ...(checksum === undefined
              ? {}
              : { digest: { [checksum.algorithm.toLowerCase()]: checksum.value } }),
          })),
        ],
      },
      runDetails: { builder: { id: build.builder } },
    },
  };
}
