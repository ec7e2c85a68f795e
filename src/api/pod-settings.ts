/** Settings of the Pods of several components, from the list `spec.podSettings`. Pure functions. */
import type { V1EnvVar } from '@kubernetes/client-node';

import { CATALOG } from './component-catalog.ts';
import type { Components, PodSettings } from './karmada.ts';
import type { PodFields } from './settings.ts';

type Key = keyof Components;

/** Keys of all components, with which an entry selects them. */
export const SELECTABLE: readonly Key[] = CATALOG.map(({ key }) => key);

/**
 * Names of environment variables that the operator sets, and the prefix of the variables that etcd reads as flags. The
 * operator does not set those, but they could change membership and data, as `RESERVED_ETCD_FLAGS`.
 */
export const RESERVED_ENV = '^(POD_IP$|KARMADA_ETCD_|ETCD_)';

/**
 * Returns the fields of one component. A later entry replaces each field that it sets, except `env`, where it replaces
 * the variables with the same name.
 */
export function podFieldsOf(list: readonly PodSettings[] | undefined, component: Key): PodFields {
  return (list ?? [])
    .filter(({ components = SELECTABLE }) => components.includes(component))
    .reduce<PodFields>((before, { components: _, ...fields }) => {
      const env = mergedEnv(before.env, fields.env);
      return { ...before, ...fields, ...(env && { env }) };
    }, {});
}

function mergedEnv(
  before: PodFields['env'],
  after: PodFields['env'],
): readonly V1EnvVar[] | undefined {
  const all = [...(before ?? []), ...(after ?? [])];
  return all.length === 0 ? undefined : [...new Map(all.map((one) => [one.name, one])).values()];
}

/** Returns the entries for some components, without the other components. */
export function podSettingsFor(
  list: readonly PodSettings[] | undefined,
  keys: readonly Key[],
): readonly PodSettings[] {
  return (list ?? []).flatMap((entry) => {
    const components = keys.filter((key) => (entry.components ?? SELECTABLE).includes(key));
    return components.length === 0 ? [] : [{ ...entry, components }];
  });
}
