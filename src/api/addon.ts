/** Optional components of a control plane and how a spec enables them. */
import { keysInstalled } from './component-catalog.ts';
import type { ComponentKey, KarmadaSpec } from './karmada.ts';
import type { Addon } from './settings.ts';

/** Components that are installed unless the spec disables them (same rule as the Go operator). */
export const ON_BY_DEFAULT = keysInstalled('default');

/** Components that are installed if the spec has their key and does not disable them. */
const ON_REQUEST = keysInstalled('request');

/** All optional components. */
export const ADDONS: readonly ComponentKey[] = [...ON_BY_DEFAULT, ...ON_REQUEST];

/** Settings of a disabled component; it gets no defaults. */
export interface DisabledAddon {
  readonly enabled: false;
}

/** Returns the settings of an enabled component; undefined if the settings are absent or disable the component. */
export function ifEnabled<T extends object>(
  block: T | undefined,
): Exclude<T, DisabledAddon> | undefined {
  return isEnabled(block) ? block : undefined;
}

const isEnabled = <T extends object>(block: T | undefined): block is Exclude<T, DisabledAddon> =>
  block !== undefined && !isDisabled(block);

/** Whether the settings are present and disable the component. */
export function isDisabled(block: object | undefined): boolean {
  const { enabled }: Pick<Addon, 'enabled'> = block ?? {};
  return enabled === false;
}

/** Returns the enabled add-ons of a spec. */
export function addonsOf({ components }: KarmadaSpec): readonly ComponentKey[] {
  return [
    ...ON_BY_DEFAULT.filter((key) => !isDisabled(components?.[key])),
    ...ON_REQUEST.filter((key) => components?.[key] && !isDisabled(components[key])),
  ];
}
