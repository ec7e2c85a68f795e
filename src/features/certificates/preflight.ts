import type { PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import type { Host } from '../../host-clusters/host.ts';
import { rejectedStatus } from '../status/unreconciled-status.ts';
import { foreignSecretProblem } from './foreign-secrets.ts';

/** Whether Secrets of others have names of the control plane. */
export async function checkForeignSecrets(
  { host }: { readonly host: Host },
  { key, karmada }: PreflightSubject,
): Promise<PreflightResult> {
  const problem = await foreignSecretProblem(host, key, karmada);
  if (problem === undefined) return undefined;
  return {
    status: (context) => rejectedStatus(karmada, problem, { ...context, phase: 'Failed' }),
    endsWithoutEvent: true,
  };
}
