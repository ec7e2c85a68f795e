/** Flags and environment variables that a user sets for a component: pure. */
import type { V1Container, V1EnvVar } from '@kubernetes/client-node';

import { factsByName } from '../api/component-catalog.ts';
import type { DefaultedSettings, DefaultedSpec } from '../api/defaults/defaults.ts';
import { podSettingsOf } from '../api/defaults/pod-settings.ts';
import type { StringMap } from '../api/settings.ts';
import type { Component } from '../components/component.ts';
import type { Workload } from '../components/workload.ts';
import type { Setting } from './vocabulary.ts';

const KEY = factsByName('key');

interface OwnSettings extends Partial<DefaultedSettings> {
  readonly extraArgs?: StringMap;
  readonly sidecarContainers?: readonly V1Container[];
}

type Of = Pick<Component, 'name' | 'settings'>;

const ownSettings = ({ settings }: Of, spec: DefaultedSpec): OwnSettings => settings(spec) ?? {};

/** Returns the flags of a component in `extraArgs`. */
export const userFlags = (component: Of, spec: DefaultedSpec): readonly Setting[] =>
  Object.entries(ownSettings(component, spec).extraArgs ?? {}).map(([name, value]) => ({
    name,
    value,
  }));

function* variables(env: readonly V1EnvVar[] = []): Generator<Setting> {
  for (const { name, value = '' } of env) yield { name, value };
}

/**
 * Returns what a user sets for the Pods of a component. The settings are created one by one, because their number has no limit.
 * @param specs those that Pods may have: the one that applies, and the one that failed before a rollback
 * @param workload may still have former values, until a blocked or paused change is applied
 */
export function* userSettings(
  component: Of,
  specs: readonly DefaultedSpec[],
  workload: Workload | undefined,
): Generator<Setting> {
  const given = new Values();
  for (const spec of specs) {
    yield* given.added(userFlags(component, spec));
    // Without the merge of all entries, which may have many variables.
    for (const { env } of podSettingsOf(spec.podSettings, KEY[component.name]))
      yield* given.added(variables(env));
  }
  for (const setting of liveSettings(workload))
    if (given.hasName(setting.name)) yield* given.added([setting]);
  for (const spec of specs)
    for (const container of ownSettings(component, spec).sidecarContainers ?? [])
      yield* settingsOf(container);
}

/** Values by name. The specs and the workload have most values in common, which count only once. */
class Values {
  readonly #values = new Map<string, Set<string>>();

  hasName(name: string): boolean {
    return this.#values.has(name);
  }

  *added(settings: Iterable<Setting>): Generator<Setting> {
    for (const setting of settings) {
      const values = this.#values.get(setting.name) ?? new Set();
      if (values.has(setting.value)) continue;
      this.#values.set(setting.name, values.add(setting.value));
      yield setting;
    }
  }
}

function* liveSettings(workload: Workload | undefined): Generator<Setting> {
  const [container] = workload?.spec.template.spec.containers ?? [];
  if (container === undefined) return;
  for (const { name, value } of settingsOf(container)) yield { name, value };
}

interface Container {
  readonly env?: readonly V1EnvVar[] | undefined;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
}

function* settingsOf({ env, command, args }: Container): Generator<Setting> {
  yield* variables(env);
  yield* argumentsOf([command ?? [], args ?? []]);
}

/** Arguments of any program. `--name value` has two. */
function* argumentsOf(lists: readonly (readonly string[])[]): Generator<Setting> {
  let last = '';
  for (const list of lists)
    for (const argument of list) {
      yield argumentAfter(last, argument);
      last = argument;
    }
}

function argumentAfter(last: string, argument: string): Setting {
  const [, name, value] = /^--?([\w.-]{1,128})=([^]*)$/.exec(argument) ?? [];
  if (name !== undefined && value !== undefined) return { name, value, isText: true };
  const [, before = ''] = /^--?([\w.-]{1,128})$/.exec(last) ?? [];
  return { name: argument.startsWith('-') ? '' : before, value: argument, isText: true };
}
