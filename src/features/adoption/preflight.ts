import type { PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import { decideAdoption } from './decide-adoption.ts';
import { readAdoption, type AdoptionTools } from './read-adoption.ts';
import { unadoptedStatus } from './unadopted-status.ts';

/** Whether the control plane is one of the Go operator that waits for its adoption, or is to be adopted now. */
export async function checkAdoption(
  tools: AdoptionTools,
  { karmada, owned }: PreflightSubject,
): Promise<PreflightResult> {
  const decision = decideAdoption(await readAdoption(tools, owned, karmada));
  if (decision.kind === 'none') return undefined;
  if (decision.kind === 'adopt') return { adoption: decision.rounds };
  const { problem } = decision;
  return {
    status: (context) => unadoptedStatus(karmada, problem, context),
    endsWithoutEvent: true,
  };
}
