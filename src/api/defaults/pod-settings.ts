/** Settings of the Pods of several components, from the list `spec.podSettings`. Pure functions. */
import type { V1EnvVar } from '@kubernetes/client-node';

import { CATALOG } from '../component-catalog.ts';
import type { Components, PodSettings } from '../karmada.ts';
import type { CommonSettings, PodFields } from '../settings.ts';

type Key = keyof Components;

/** Keys of all components, with which an entry selects them. */
export const SELECTABLE: readonly Key[] = CATALOG.map(({ key }) => key);

/** Name with which an entry selects the Pods of KarmadaBackups. */
export const BACKUPS = 'backups';

/** Everything that an entry can select, and by default does. */
export const ALL_SELECTABLE: readonly (Key | typeof BACKUPS)[] = [...SELECTABLE, BACKUPS];

/** Default of `priorityClassName`, in the CRD too: that of the Go operator. */
export const DEFAULT_PRIORITY_CLASS = 'system-node-critical';

/**
 * Names of environment variables that the operator sets, and the prefix of the variables that etcd reads as flags. The
 * operator does not set those, but they could change membership and data, as `RESERVED_ETCD_FLAGS`.
 */
export const RESERVED_ENV = '^(POD_IP$|KARMADA_ETCD_|ETCD_)';

/** Returns the entries for one component. */
export const podSettingsOf = (
  list: readonly PodSettings[] | undefined,
  component: Key | typeof BACKUPS,
): readonly PodSettings[] =>
  (list ?? []).filter(({ components = ALL_SELECTABLE }) => components.includes(component));

/**
 * Returns the fields of one component. A later entry replaces each field that it sets, except `env`, where it replaces
 * the variables with the same name. A field of the component itself replaces that of all entries.
 */
export function podFieldsOf(
  list: readonly PodSettings[] | undefined,
  component: Key | typeof BACKUPS,
  settings: CommonSettings = {},
): PodFields {
  const entries = podSettingsOf(list, component);
  const merged = entries.reduce<PodFields>(
    (before, { components: _, ...fields }) => ({ ...before, ...fields }),
    {},
  );
  const env = mergedEnv(entries);
  const { priorityClassName, ...fields } = {
    ...merged,
    ...(env && { env }),
    ...ownFields(settings),
  };
  // An empty name selects the default, as in a component.
  return { ...fields, ...(priorityClassName && { priorityClassName }) };
}

/**
 * Returns the fields of Pods that a component sets itself. The API server stores the default of `priorityClassName`, and
 * the Go operator empty `resources`, so these values do not show that a user has set them.
 */
function ownFields({
  nodeSelector,
  topologySpreadConstraints,
  tolerations,
  affinity,
  resources = {},
  priorityClassName = '',
}: CommonSettings): PodFields {
  const hasClass = !['', DEFAULT_PRIORITY_CLASS].includes(priorityClassName);
  return {
    ...(nodeSelector && { nodeSelector }),
    ...(topologySpreadConstraints && { topologySpreadConstraints }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
    ...(Object.keys(resources).length > 0 && { resources }),
    ...(hasClass && { priorityClassName }),
  };
}

/** Variables of all entries. Merges them once, because the time of one merge grows with their number. */
function mergedEnv(entries: readonly PodSettings[]): readonly V1EnvVar[] | undefined {
  const all = entries.flatMap(({ env = [] }) => env);
  return all.length === 0 ? undefined : [...new Map(all.map((one) => [one.name, one])).values()];
}

/** Returns the entries for some components, without the other components and backups. */
export function podSettingsFor(
  list: readonly PodSettings[] | undefined,
  keys: readonly Key[],
): readonly PodSettings[] {
  return (list ?? []).flatMap((entry) => {
    const components = keys.filter((key) => (entry.components ?? SELECTABLE).includes(key));
    return components.length === 0 ? [] : [{ ...entry, components }];
  });
}
