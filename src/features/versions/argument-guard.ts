/** Finds flags and feature gates that an upgrade would turn into failures at start. Pure functions. */
import { ifEnabled } from '../../api/addon.ts';
import type { DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { ComponentKey } from '../../api/karmada.ts';
import { COMPONENT } from '../../api/labels.ts';
import { COMPONENT_NAME } from '../../api/naming.ts';
import type { KarmadaRelease } from '../../api/releases/releases.ts';
import {
  gatesIn,
  knownArguments,
  unknownArguments,
  type UnknownArguments,
} from '../../api/flags/unknown-arguments.ts';
import { karmadaReleaseOf } from '../../api/versions/versions.ts';
import { flagName } from '../../components/flags.ts';
import { isWorkload } from '../../components/workload.ts';
import { runningImage, type RunningEvidence } from './running-image.ts';

/**
 * Returns the arguments that the release of the spec does not know, of components that run another minor version now.
 * An argument with which a component runs although its release does not have it, as in a private build, is accepted.
 * @param evidence workloads and versions that run now
 */
export function argumentsLost(
  spec: DefaultedSpec,
  evidence: RunningEvidence,
): readonly UnknownArguments[] {
  return unknownArguments(spec).flatMap((found) => {
    const { component } = found;
    const running = runningImage(evidence, 'karmada', component);
    if (running === undefined) return [];
    const before = karmadaReleaseOf(running.imageTag);
    const { imageTag = '' }: { imageTag?: string } = ifEnabled(spec.components[component]) ?? {};
    if (before === karmadaReleaseOf(imageTag)) return [];
    const accepted = before === undefined ? () => false : acceptedNow(found, before, evidence);
    const names = found.names.filter((name) => !accepted(name));
    return names.length === 0 ? [] : [{ ...found, names }];
  });
}

/** Returns whether a component runs now with an argument that its release does not have, as a function of the name. */
function acceptedNow(
  found: UnknownArguments,
  release: KarmadaRelease,
  evidence: RunningEvidence,
): (name: string) => boolean {
  const isKnown = knownArguments(found, release);
  const present = argumentsOf(commandOf(found.component, evidence), found.reason);
  return (name) => !isKnown(name) && present.has(name);
}

/** Names of the flags, or of the feature gates, in a command. */
function argumentsOf(
  command: readonly string[],
  reason: UnknownArguments['reason'],
): ReadonlySet<string | undefined> {
  if (reason === 'UnknownFlag') return new Set(command.map(flagName));
  const gates = command.find((item) => flagName(item) === 'feature-gates') ?? '';
  return new Set(gatesIn(gates.replace(/^[^=]*=/, '')));
}

function commandOf(component: ComponentKey, { host }: RunningEvidence): readonly string[] {
  const workload = host.objects
    .filter(isWorkload)
    .find(({ metadata }) => metadata.labels?.[COMPONENT] === COMPONENT_NAME[component]);
  return workload?.spec.template.spec.containers[0]?.command ?? [];
}
