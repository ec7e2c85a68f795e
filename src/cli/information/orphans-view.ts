/** Orphaned control planes as `orphans -o json` prints them. Pure functions. */
import type { UncheckedHost } from '../../orphans/find-orphans.ts';
import type { Orphan } from '../../orphans/orphans.ts';

interface OrphanView {
  readonly namespace: string;
  /** Name of the missing Karmada object. */
  readonly name: string;
  /** URL of the API server of its host cluster; absent for the management cluster. */
  readonly server?: string;
  readonly workloads: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
  }[];
}

interface OrphansView {
  readonly items: readonly OrphanView[];
  /** Host clusters that could not be read, with the reason. */
  readonly notChecked: readonly string[];
}

/** Builds the view. */
export const orphansView = (found: readonly (Orphan | UncheckedHost)[]): OrphansView => ({
  items: found.flatMap((one) => ('notChecked' in one ? [] : [orphanView(one)])),
  notChecked: found.flatMap((one) => ('notChecked' in one ? [one.notChecked] : [])),
});

const orphanView = ({ namespace, name, server, workloads }: Orphan): OrphanView => ({
  namespace,
  name,
  ...(server !== undefined && { server }),
  workloads: workloads.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name,
  })),
});
