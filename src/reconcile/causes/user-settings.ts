/** Flags and environment variables that a user sets for a component: pure. */
import type { V1Container, V1EnvVar } from '@kubernetes/client-node';

import { factsByName } from '../../api/component-catalog.ts';
import type { DefaultedSpec } from '../../api/defaults.ts';
import { podFieldsOf } from '../../api/pod-settings.ts';
import type { StringMap } from '../../api/settings.ts';
import type { Component } from '../../components/component.ts';
import type { Workload } from '../../components/workload.ts';
import type { Setting } from './vocabulary.ts';

const KEY = factsByName('key');

interface OwnSettings {
  readonly extraArgs?: StringMap;
  readonly sidecarContainers?: readonly V1Container[];
}

type Of = Pick<Component, 'name' | 'settings'>;

const ownSettings = ({ settings }: Of, spec: DefaultedSpec): OwnSettings =>
  (settings(spec) ?? {}) as OwnSettings;

/** Returns the flags of a component in `extraArgs`. */
export const userFlags = (component: Of, spec: DefaultedSpec): readonly Setting[] =>
  Object.entries(ownSettings(component, spec).extraArgs ?? {}).map(([name, value]) => ({
    ...{ name, value },
  }));

const variables = (env: readonly V1EnvVar[] = []): readonly Setting[] =>
  env.map(({ name, value = '' }) => ({ name, value }));

/**
 * Returns what a user sets for the Pods of a component.
 * @param specs those that Pods may have: the one that applies, and the one that failed before a rollback
 * @param workload may still have former values, until a blocked or paused change is applied
 */
export function userSettings(
  component: Of,
  specs: readonly DefaultedSpec[],
  workload: Workload | undefined,
): readonly Setting[] {
  const given = specs.flatMap((spec) => [
    ...userFlags(component, spec),
    ...variables(podFieldsOf(spec.podSettings, KEY[component.name]).env),
  ]);
  const sidecars = specs.flatMap((spec) => ownSettings(component, spec).sidecarContainers ?? []);
  const names = new Set(given.map(({ name }) => name));
  return [
    ...given,
    ...liveSettings(workload).filter(({ name }) => names.has(name)),
    ...sidecars.flatMap(({ env, command = [], args = [] }) => [
      ...variables(env),
      ...argumentsOf([...command, ...args]),
    ]),
  ];
}

function liveSettings(workload: Workload | undefined): readonly Setting[] {
  const { containers = [] } = workload?.spec.template.spec ?? {};
  return containers
    .slice(0, 1)
    .flatMap(({ env, command = [], args = [] }) => [
      ...variables(env),
      ...argumentsOf([...command, ...args]).map(({ name, value }) => ({ name, value })),
    ]);
}

/** Arguments of any program. `--name value` has two. */
const argumentsOf = (all: readonly string[]): readonly Setting[] =>
  all.map((argument, index): Setting => {
    const [, name, value] = /^--?([\w.-]{1,128})=([^]*)$/.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) return { name, value, isText: true };
    const [, before = ''] = /^--?([\w.-]{1,128})$/.exec(all[index - 1] ?? '') ?? [];
    return { name: argument.startsWith('-') ? '' : before, value: argument, isText: true };
  });
