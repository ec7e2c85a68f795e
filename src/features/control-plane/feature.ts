import type { Feature } from '../../actions/feature.ts';
import type { Warning } from '../../api/warning.ts';
import { archiveProblem } from '../../crd-archives/outcome.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Warning about an archive of another patch release. */
function archiveWarnings({ archive }: Snapshot): readonly Warning[] {
  const warning = 'warning' in archive ? archive.warning : undefined;
  return warning === undefined ? [] : [{ ...warning, message: `${warning.message}.` }];
}

/** The Karmada API of a control plane, and the CRDs in it. */
export const controlPlane = {
  name: 'Karmada API',
  problem: ({ snapshot }) => snapshot.controlPlane.problem ?? archiveProblem(snapshot.archive),
  warnings: archiveWarnings,
  isPending: ({ archive }) => 'pending' in archive,
} satisfies Feature<unknown>;
