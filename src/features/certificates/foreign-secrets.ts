/** Secrets that have a name of a control plane, but that the operator neither created nor adopted. Checked before its first write. */
import { isNamedForEtcd } from '../../api/external-etcd.ts';
import type { PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import { instanceName, SECRET_SUFFIX, secretNamesOf } from '../../api/naming.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Host } from '../../host-clusters/host.ts';
import { findOwnSecrets, foreignProblem } from '../../instance/own-objects.ts';
import { rejectedStatus } from '../status/unreconciled-status.ts';

/** Whether Secrets of others have names of the control plane. */
export async function checkForeignSecrets(
  { host }: { readonly host: Host },
  subject: PreflightSubject,
): Promise<PreflightResult> {
  const { karmada } = subject;
  const problem = await foreignSecretProblem(host, subject);
  if (problem === undefined) return undefined;
  return {
    status: (context) => rejectedStatus(karmada, problem, { ...context, phase: 'Failed' }),
    endsWithoutEvent: true,
  };
}

/**
 * Reads the Secrets of a control plane whose certificates the operator has not created yet.
 * @returns undefined if none is foreign, or the certificates exist
 * @throws ApiError, NetworkError
 */
async function foreignSecretProblem(
  { client }: Pick<Host, 'client'>,
  { karmada, owned, present }: Pick<PreflightSubject, 'karmada' | 'owned' | 'present'>,
): Promise<Problem | undefined> {
  const { name, namespace = '' } = karmada.metadata;
  const mark = instanceName(name, SECRET_SUFFIX.cert);
  const isMarked = owned.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === mark);
  if (isMarked) return undefined;
  const names = secretNamesOf(name).filter(
    (called) => !isNamedForEtcd(karmada, { namespace, name: called }),
  );
  const found = findOwnSecrets(client, karmada.metadata, names, { present: await present() });
  return found.then(() => undefined, foreignProblem);
}
