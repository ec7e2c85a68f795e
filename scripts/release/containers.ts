/** Containers of the builds, and their digests. */

/** Default values of the arguments `…_IMAGE` of a Dockerfile: name of the argument to image. */
export const dockerfileImages = (dockerfile: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm)].map(([, name = '', image = '']) => [
      name,
      image,
    ]),
  );

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * Appends the digest to an image.
 * @param image such as `docker.io/library/golang:1.26-bookworm`
 * @param digest what the registry answered
 * @throws Error if that is no digest
 */
export function withDigest(image: string, digest: string): string {
  if (!DIGEST.test(digest))
    throw new Error(`${image}: the registry returned no digest, but ${JSON.stringify(digest)}`);
  return `${image}@${digest}`;
}

/** An image with its digest. */
export interface Container {
  readonly image: string;
  /** SHA-256 in hex. */
  readonly sha256: string;
}

/** Splits an image that has a digest; undefined if it has none. */
export function parseContainer(reference: string): Container | undefined {
  const [, image, sha256] = /^([^@\s]+)@sha256:([0-9a-f]{64})$/.exec(reference) ?? [];
  return image === undefined || sha256 === undefined ? undefined : { image, sha256 };
}

/**
 * Returns the reasons against a release in the container of its build.
 * @param container its image; undefined for a build without a container
 */
export const containerRefusals = (container: string | undefined): string[] =>
  container === undefined || parseContainer(container) !== undefined
    ? []
    : [
        `--container ${JSON.stringify(container)}: not an image with a digest (IMAGE@sha256:…); run \`node scripts/containers.ts\``,
      ];
