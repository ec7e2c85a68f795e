import type { Feature } from '../../actions/feature.ts';
import type { ObserveContext, SpecFacts } from '../../actions/observers.ts';
import type { Warning } from '../../api/warnings/warning.ts';
import type { Archives } from '../../crd-archives/archives.ts';
import { furtherKinds } from '../../controlplane/flow-schema.ts';
import { archiveProblem } from '../../crd-archives/outcome.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { observeControlPlane } from './observe-control-plane.ts';

/** Warning about an archive of another patch release. */
function archiveWarnings({ archive }: Snapshot): readonly Warning[] {
  const warning = 'warning' in archive ? archive.warning : undefined;
  return warning === undefined ? [] : [{ ...warning, message: `${warning.message}.` }];
}

interface Readers {
  readonly archives: Pick<Archives, 'of'>;
}

function startCaches(
  { controlPlane, rendered }: ObserveContext<Readers>['instance'],
  spec: SpecFacts['spec'],
): void {
  if (controlPlane === undefined) return;
  if (!controlPlane.started) {
    const crds = rendered?.desired.objects.filter(({ step }) => step === 'crds') ?? [];
    controlPlane.definitions.expect(crds.map(({ object }) => object));
  }
  controlPlane.start(furtherKinds(spec));
}

async function observe(
  { tools: { archives }, instance }: ObserveContext<Readers>,
  { karmada, spec, host }: SpecFacts,
): Promise<Pick<Snapshot, 'controlPlane' | 'archive'>> {
  const [controlPlane, archive] = await Promise.all([
    observeControlPlane(instance, karmada, host),
    archives.of(karmada, spec),
  ]);
  // Its caches start when its API server is ready.
  if (controlPlane.isAnswering || controlPlane.state === 'ready') startCaches(instance, spec);
  return { controlPlane, archive };
}

/** The Karmada API of a control plane, and the CRDs in it. */
export const controlPlane = {
  name: 'Karmada API',
  observers: { facts: observe },
  problem: ({ snapshot }) => snapshot.controlPlane.problem ?? archiveProblem(snapshot.archive),
  warnings: archiveWarnings,
  isPending: ({ archive }) => 'pending' in archive,
} satisfies Feature<unknown, Readers>;
