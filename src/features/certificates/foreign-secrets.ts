/** Secrets that have a name of a control plane, but that the operator neither created nor adopted. Checked before its first write. */
import { isNamedForEtcd } from '../../api/external-etcd.ts';
import type { PreflightResult, PreflightSubject } from '../../actions/preflight.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX, secretNamesOf } from '../../api/naming.ts';
import type { Problem } from '../../api/problem.ts';
import { ownedBy, type Host } from '../../host-clusters/host.ts';
import { findOwnSecrets, foreignProblem } from '../../instance/own-objects.ts';
import { presentSecrets } from '../../instance/present-secrets.ts';
import { rejectedStatus } from '../status/unreconciled-status.ts';

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

/**
 * Reads the Secrets of a control plane whose certificates the operator has not created yet.
 * @param key `namespace/name` of the Karmada
 * @returns undefined if none is foreign, or the certificates exist
 * @throws ApiError, NetworkError
 */
async function foreignSecretProblem(
  { client, owned }: Pick<Host, 'client' | 'owned'>,
  key: string,
  karmada: Pick<Karmada, 'metadata' | 'spec'>,
): Promise<Problem | undefined> {
  const { name, namespace = '' } = karmada.metadata;
  const mark = instanceName(name, SECRET_SUFFIX.cert);
  const isMarked = ownedBy(owned, key).some(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === mark,
  );
  if (isMarked) return undefined;
  const names = secretNamesOf(name).filter(
    (called) => !isNamedForEtcd(karmada, { namespace, name: called }),
  );
  const saved = instanceName(name, SECRET_SUFFIX.caBackup);
  const present = await presentSecrets(client, namespace, [saved, ...names]);
  const found = findOwnSecrets(client, karmada.metadata, names, { present });
  return found.then(() => undefined, foreignProblem);
}
