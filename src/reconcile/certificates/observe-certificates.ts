/** Decides from the caches whether the certificates of a control plane must be read and planned again. Pure functions. */
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { CertificatesMemo } from '../instance-cache.ts';
import { isPaused } from '../pause.ts';
import type { CertificatesSnapshot } from '../snapshot.ts';

/** Maximum expected lag of the cache behind writes of the operator, in milliseconds. */
export const CACHE_GRACE_MS = 3_000;

/** Compares the hashes of cached Secrets and the certificate inputs with those of the last write. */
export function observeCertificates(
  memo: CertificatesMemo | undefined,
  inputs: PkiInputs,
  seen: {
    readonly secrets: readonly KubernetesObject[];
    readonly now: number;
    readonly monotonic: number;
  },
): CertificatesSnapshot {
  if (memo === undefined) return { state: 'due', reason: 'not read since the operator started' };
  const due = (reason: string): CertificatesSnapshot => ({ state: 'due', reason, last: memo.view });
  if (memo.inputs !== JSON.stringify(inputs)) return due('certificate inputs changed');
  if (seen.now >= memo.view.checkAt) return due('certificates are due for renewal');
  const changed = changedSecret(memo, seen.secrets);
  const fresh = seen.monotonic - memo.writtenAt < CACHE_GRACE_MS;
  if (changed !== undefined && !fresh) return due(`Secret ${changed}: missing or changed`);
  return { state: 'valid', view: memo.view };
}

/** Name of the first Secret whose cached hashes differ from those of the last write. */
export function changedSecret(
  memo: Pick<CertificatesMemo, 'secrets'>,
  secrets: readonly KubernetesObject[],
): string | undefined {
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret]));
  return [...memo.secrets].find(([name, wanted]) => {
    const secret = byName.get(name);
    if (secret !== undefined && isPaused(secret)) return false;
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    return Object.entries(wanted).some(([key, hash]) => data[key] !== hash);
  })?.[0];
}
