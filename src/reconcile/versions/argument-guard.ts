/** Finds flags and feature gates that an upgrade would turn into failures at start. Pure functions. */
import { ifEnabled } from '../../api/addon.ts';
import type { DefaultedSpec } from '../../api/defaults.ts';
import type { ComponentKey } from '../../api/karmada.ts';
import { COMPONENT } from '../../api/labels.ts';
import { COMPONENT_NAME } from '../../api/naming.ts';
import { isKnown, unknownArguments, type UnknownArgument } from '../../api/unknown-arguments.ts';
import { karmadaReleaseOf } from '../../api/versions.ts';
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
): readonly UnknownArgument[] {
  return unknownArguments(spec).filter((argument) => {
    const { component } = argument;
    const running = runningImage(evidence, 'karmada', component);
    if (running === undefined) return false;
    const before = karmadaReleaseOf(running.imageTag);
    const { imageTag = '' }: { imageTag?: string } = ifEnabled(spec.components[component]) ?? {};
    const after = karmadaReleaseOf(imageTag);
    if (before === after) return false;
    const isAccepted =
      before !== undefined && !isKnown(argument, before) && isSet(argument, evidence);
    return !isAccepted;
  });
}

/** Whether the workload of a component has an argument now. */
function isSet({ component, reason, name }: UnknownArgument, evidence: RunningEvidence): boolean {
  const command = commandOf(component, evidence);
  if (reason === 'UnknownFlag') return command.some((item) => flagName(item) === name);
  const gates = command.find((item) => flagName(item) === 'feature-gates') ?? '';
  return gates
    .replace(/^[^=]*=/, '')
    .split(',')
    .some((gate) => gate.startsWith(`${name}=`));
}

function commandOf(component: ComponentKey, { host }: RunningEvidence): readonly string[] {
  const workload = host.objects
    .filter(isWorkload)
    .find(({ metadata }) => metadata.labels?.[COMPONENT] === COMPONENT_NAME[component]);
  return workload?.spec.template.spec.containers[0]?.command ?? [];
}
