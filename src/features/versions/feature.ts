import type { Feature, StatusInput } from '../../actions/feature.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { warnings } from '../../api/warnings.ts';
import { runningVersions } from './running-versions.ts';
import { upgradeOf } from './upgrade-status.ts';

/** No event signals that objects in the control plane change that the next release does not accept. */
const BLOCKED_MS = 15_000;

function statusFields(input: StatusInput): Partial<KarmadaStatus> {
  const { snapshot, before, isReady } = input;
  const versions = runningVersions(snapshot, before);
  const upgrade = upgradeOf(input, before, isReady);
  return {
    ...(upgrade && { upgrade }),
    ...(versions.karmada && { karmadaVersion: versions.karmada }),
    ...(versions.kubernetes && { kubernetesVersion: versions.kubernetes }),
    versions,
  };
}

/** The versions that run, which of the requested ones may follow, and fields that they do not support. */
export const versions = {
  name: 'versions',
  warnings: ({ karmada, spec, host }) => warnings(karmada, spec, host),
  statusFields,
  msUntilCheck: ({ instance: { removedValues } }) =>
    removedValues?.blocked === undefined ? Infinity : BLOCKED_MS,
} satisfies Feature<unknown>;
