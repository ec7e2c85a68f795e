import type { Feature, StatusInput } from '../../actions/feature.ts';
import type { HostFacts, ObserveContext } from '../../actions/observers.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { warnings } from '../../api/warnings/warnings.ts';
import { hostFactsOf } from '../../host-clusters/host-facts.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { currentStatus } from '../status/status-writer.ts';
import { observeRemovedValues } from './observe-removed-values.ts';
import { resolveSpec, type ResolvedSpec } from './resolve-spec.ts';
import { runningVersions } from './running-versions.ts';
import { upgradeOf } from './upgrade-status.ts';

/** No event signals that objects in the control plane change that the next release does not accept. */
const BLOCKED_MS = 15_000;

interface Readers {
  readonly host: Host;
  readonly clock: Clock;
}

async function observeSpec(
  { tools: { host, clock }, instance }: ObserveContext<Readers>,
  seen: HostFacts,
): Promise<ResolvedSpec> {
  const input = { ...seen, status: currentStatus(instance, seen.karmada) };
  const facts = hostFactsOf(host);
  const resolved = await resolveSpec({ client: host.client, instance, facts }, input);
  return observeRemovedValues({ clock }, instance, input, resolved);
}

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
  observers: { spec: observeSpec },
  warnings: ({ karmada, spec, host }) => warnings(karmada, spec, host),
  statusFields,
  msUntilCheck: ({ instance: { removedValues } }) =>
    removedValues?.blocked === undefined ? Infinity : BLOCKED_MS,
} satisfies Feature<unknown, Readers>;
