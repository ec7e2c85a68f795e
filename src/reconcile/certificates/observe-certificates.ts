/** Decides from the caches whether the certificates of a control plane must be read and planned again. */
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { CertificatesMemo } from '../instance-cache.ts';
import { isPaused } from '../pause.ts';
import type { CertificatesSnapshot } from '../snapshot.ts';

/** Maximum expected lag of the cache behind writes of the operator, in milliseconds. */
export const CACHE_GRACE_MS = 3_000;

/** Compares the hashes of cached Secrets and the certificate inputs with those of the last write. Pure function. */
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
  const mayLag = seen.monotonic - memo.writtenAt < CACHE_GRACE_MS;
  const changed = changedSecrets(memo, seen.secrets).find(
    (name) => !mayLag || memo.confirmed.has(name),
  );
  if (changed !== undefined) return due(`Secret ${changed}: missing or changed`);
  return { state: 'valid', view: memo.view };
}

/** Notes which Secrets the cache contains as written, so that a later change of them is repaired at once. */
export function confirmSecrets(
  memo: CertificatesMemo | undefined,
  secrets: readonly KubernetesObject[],
): void {
  if (memo === undefined || memo.confirmed.size === memo.secrets.size) return;
  const changed = changedSecrets(memo, secrets);
  for (const name of memo.secrets.keys()) if (!changed.includes(name)) memo.confirmed.add(name);
}

/** Names of the Secrets whose cached hashes differ from those of the last write. */
export function changedSecrets(
  memo: Pick<CertificatesMemo, 'secrets'>,
  secrets: readonly KubernetesObject[],
): readonly string[] {
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret]));
  const changed = [...memo.secrets].filter(([name, wanted]) => {
    const secret = byName.get(name);
    if (secret !== undefined && isPaused(secret)) return false;
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    return Object.entries(wanted).some(([key, hash]) => data[key] !== hash);
  });
  return changed.map(([name]) => name);
}
