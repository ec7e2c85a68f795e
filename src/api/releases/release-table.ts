/** Facts about one Karmada release, extracted from its Go module by `npm run release-table`. Data only. */
import type { ReleasedName } from '../component-catalog.ts';

/** What the command line of a program accepts. Lists are sorted; flags have no dashes in front. */
export interface ProgramTable {
  readonly flags: readonly string[];
  /** Accepted, but not in the help text: most are deprecated, and a later release removes them. */
  readonly hiddenFlags: readonly string[];
  /** Empty for a program without `--feature-gates`. */
  readonly featureGates: readonly string[];
}

/** Entry of the webhook configurations that the Go operator applies. */
export interface WebhookTable {
  /** Last part of the URL, such as `/mutate-work`. */
  readonly path: string;
  readonly operations: readonly string[];
  /** As `resource.group`. */
  readonly resources: readonly string[];
}

/** Programs of a Karmada release that an operator runs, by the names of their images. */
export type KarmadaProgram = ReleasedName<'karmada'>;

export interface ReleaseTable {
  /** Such as `v1.18.2`. */
  readonly release: string;
  /** Minor version of Karmada 1.x. */
  readonly minor: number;
  /** Minor version of the Kubernetes 1.x client libraries. */
  readonly kubernetesMinor: number;
  readonly crds: {
    /** SHA-256 of the paths and contents of the files, independent of their compression. */
    readonly sha256: string;
    readonly names: readonly string[];
    /** CRDs whose versions karmada-webhook converts. */
    readonly converted: readonly string[];
  };
  readonly webhooks: readonly WebhookTable[];
  readonly programs: Readonly<Record<KarmadaProgram, ProgramTable>>;
}
