/** Command `images`: the images of a Karmada release, for a private registry. */
import type { Command } from 'commander';
import { CATALOG } from '../../api/component-catalog.ts';
import {
  DEFAULT_ETCD_TAG,
  DEFAULT_KARMADA_TAG,
  defaultRepository,
  kubernetesTagFor,
} from '../../api/images.ts';
import { RELEASES } from '../../api/releases/releases.ts';
import { isReleaseTag, karmadaReleaseOf } from '../../api/versions/versions.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';

/** An image of a release, and its name in a private registry. */
export interface ReleaseImage {
  readonly source: string;
  /** Equal to the source without a registry. */
  readonly target: string;
}

/**
 * Returns the images that the operator uses by default for a Karmada release, sorted.
 * @param registry `spec.privateRegistry.registry`
 */
export function releaseImages(version: string, registry?: string): readonly ReleaseImage[] {
  const tags = { karmada: version, kubernetes: kubernetesTagFor(version), etcd: DEFAULT_ETCD_TAG };
  return CATALOG.map(({ repository, release }) => ({
    source: `${repository}:${tags[release]}`,
    target: `${defaultRepository(repository, registry)}:${tags[release]}`,
  })).toSorted((one, other) => (one.source < other.source ? -1 : 1));
}

/** Other patch releases of these minor versions are known too. */
const unknownRelease = (version: string): string =>
  `Karmada ${JSON.stringify(version)} is not a known release; write one of ${RELEASES.map(({ release }) => release).join(', ')}, or another patch release of these`;

interface Flags {
  readonly registry?: string;
  readonly output?: StructuredFormat;
}

/** Adds the command `images`. */
export function addImages(program: Command, environment: Environment): void {
  program
    .command('images')
    .argument('[version]', 'Karmada release', DEFAULT_KARMADA_TAG)
    .option('--registry <registry>', 'also print the names below spec.privateRegistry.registry')
    .addOption(outputOption())
    .action((version: string, { registry, output }: Flags) => {
      if (!isReleaseTag(version) || karmadaReleaseOf(version) === undefined)
        throw new CommandError(unknownRelease(version));
      const images = releaseImages(version, registry);
      const lines = images.map(({ source, target }) =>
        registry === undefined ? source : `${source} ${target}`,
      );
      environment.output.write(
        output === undefined
          ? lines.map((line) => `${line}\n`).join('')
          : structured({ items: images }, output),
      );
    });
}
