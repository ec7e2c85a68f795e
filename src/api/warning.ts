/** Shape of a warning, and what its rules look at. */
import { whenOn } from './addon.ts';
import type { DefaultedSpec } from './defaults.ts';
import { installedComponents } from './defaults.ts';
import type { CommonSettings } from './settings.ts';

export interface Warning {
  /** One word in capitals and small letters, for programs. */
  readonly reason: string;
  /** What may happen, and what to do about it. */
  readonly message: string;
}

export interface Subject {
  readonly name: string;
  readonly namespace: string;
  readonly spec: DefaultedSpec;
}

export type WarningRule = (subject: Subject) => readonly Warning[];

/** The warning when `holds`, else none. */
export function when(holds: boolean, reason: string, message: string): readonly Warning[] {
  return holds ? [{ reason, message }] : [];
}

/** Settings of all pods of the instance, by the field they are in. */
export function allSettings(spec: DefaultedSpec): readonly (readonly [string, CommonSettings])[] {
  const keys = installedComponents(spec);
  const blocks = keys.map((key) => [key, whenOn(spec.components[key]) ?? {}] as const);
  const local = spec.components.etcd.local;
  return [...(local ? [['etcd.local', local] as const] : []), ...blocks];
}
