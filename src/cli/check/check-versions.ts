/** Versions of a control plane, and stored values that a later release does not accept. */
import { checkPair, supportOf, type Support } from '../../api/versions/versions.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';
import { findRemovedValues } from '../../features/versions/observe-removed-values.ts';
import { removalsBetween, removedValuesBlocked } from '../../instance/removed-values.ts';
import { resolveSpec } from '../../features/versions/resolve-spec.ts';
import { openControlPlane } from '../propagation/open-control-plane.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

/** Support of a pair in a sentence. */
const WORDS: Readonly<Record<Support, string>> = {
  tested: 'tested together',
  allowed: 'allowed together, and not tested',
  blocked: 'not supported together',
  unknown: 'not known to this version of the operator',
};

/** Changes of versions that the operator would block. */
export async function versions({
  tools,
  client,
  karmada,
  live,
  spec,
  host,
  facts,
}: Subject): Promise<Found> {
  const status = live?.status ?? {};
  const now = tools.clock.wall();
  const resolved = await resolveSpec(
    { client, facts, instance: {} },
    { karmada, status, host, now },
  );
  const { karmadaControllerManager, karmadaAPIServer } = spec.components;
  const [release, kubernetes] = [karmadaControllerManager.imageTag, karmadaAPIServer.imageTag];
  const next = resolved.nextReleases.length > 0 ? `; then ${resolved.nextReleases.join(', ')}` : '';
  const held = resolved.blockedVersions.map(({ reason, message }) => ({ reason, message }));
  // The operator warns of a new control plane with such versions, and does not block it.
  const unsupported = checkPair(release, kubernetes).map(({ message }) => ({
    reason: 'UnsupportedVersions',
    message: `${message}; set versions that are supported together`,
  }));
  return {
    ok: `Karmada ${release} and Kubernetes ${kubernetes} are ${WORDS[supportOf(release, kubernetes)]}${next}`,
    problems: (held.length > 0 ? held : unsupported).map((problem) => ({
      outcome: 'failed',
      ...problem,
    })),
  };
}

/** Values of objects in the control plane that the requested Karmada release does not accept. */
export async function storedValues({ tools, live, spec }: Subject): Promise<Found> {
  const { karmada: to = '' } = wantedVersions(spec);
  const removals = removalsBetween(live?.status?.versions?.karmada, to);
  if (live === undefined || removals.length === 0)
    return { problems: [], ok: 'the release removes no value of a field' };
  const plane = await openControlPlane(tools.connection, live);
  try {
    const found = await findRemovedValues(plane.client, removals);
    const ok = 'no object has a value that the release removes';
    if (found.length === 0) return { problems: [], ok };
    const { reason, message } = removedValuesBlocked(to, found);
    return { ok, problems: [{ outcome: 'failed', reason, message }] };
  } finally {
    await plane.close();
  }
}
