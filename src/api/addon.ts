/** Components that a Karmada can have or not, and how it says so. */
import type { ComponentKey, KarmadaSpec } from './karmada.ts';
import type { Addon } from './settings.ts';

/** Components that an instance has unless its spec switches them off (upstream's rule for it). */
export const ON_BY_DEFAULT = ['karmadaMetricsAdapter'] as const satisfies readonly ComponentKey[];

/** Components that an instance has when their key is in the spec and does not switch them off. */
export const ON_REQUEST = [
  'karmadaDescheduler',
  'karmadaSearch',
  'karmadaSchedulerEstimator',
] as const satisfies readonly ComponentKey[];

/** Every component that can be absent. */
export const ADDONS: readonly ComponentKey[] = [...ON_BY_DEFAULT, ...ON_REQUEST];

/** What is left of a block that switches its component off: it gets no defaults. */
export interface SwitchedOff {
  readonly enabled: false;
}

/** The settings of a component that runs; undefined when its block is absent or switches it off. */
export function whenOn<T extends object>(
  block: T | undefined,
): Exclude<T, SwitchedOff> | undefined {
  return isOff(block) ? undefined : (block as Exclude<T, SwitchedOff> | undefined);
}

/** Whether a block is there and switches its component off. */
export function isOff(block: object | undefined): boolean {
  return (block as Pick<Addon, 'enabled'> | undefined)?.enabled === false;
}

/** Add-ons that run in an instance with this spec. */
export function addonsOf({ components }: KarmadaSpec): readonly ComponentKey[] {
  return [
    ...ON_BY_DEFAULT.filter((key) => !isOff(components?.[key])),
    ...ON_REQUEST.filter((key) => components?.[key] && !isOff(components[key])),
  ];
}
