/** Types and helpers for warning rules. */
import { ifEnabled } from '../addon.ts';
import type { Reason } from '../reasons/condition-reasons.ts';
import type { DefaultedSpec, HostFacts } from '../defaults/defaults.ts';
import { installedComponents } from '../defaults/defaults.ts';
import type { CommonSettings } from '../settings.ts';

export interface Warning {
  /** Machine-readable reason in CamelCase. */
  readonly reason: Reason;
  /** Field, consequence and what to do; ends with a full stop. */
  readonly message: string;
}

export interface Subject {
  readonly name: string;
  readonly namespace: string;
  readonly spec: DefaultedSpec;
  readonly host: WarningFacts;
}

/** Facts about the host cluster that warnings depend on. */
export type WarningFacts = Pick<HostFacts, 'ipFamily'>;

export type WarningRule = (subject: Subject) => readonly Warning[];

/** Returns the warning if the condition holds, else none. */
export function when(blockedChanges: boolean, reason: Reason, message: string): readonly Warning[] {
  return blockedChanges ? [{ reason, message }] : [];
}

/** Returns the settings of all components that run Pods, each with the field below `spec.components`. */
export function allSettings(spec: DefaultedSpec): readonly (readonly [string, CommonSettings])[] {
  const keys = installedComponents(spec);
  const blocks = keys.map((key) => [key, ifEnabled(spec.components[key]) ?? {}] as const);
  const local = spec.components.etcd.local;
  return [...(local ? [['etcd.local', local] as const] : []), ...blocks];
}
