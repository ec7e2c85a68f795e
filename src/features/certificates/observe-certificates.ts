/** Decides from the caches whether the certificates of a control plane must be read and planned again. */
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import { isOlderVersion } from '../../kubernetes/objects/resource-version.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { CertificatesMemo } from '../../instance/instance-cache.ts';
import { isPaused } from '../../instance/pause.ts';
import type { CertificatesSnapshot } from '../../instance/snapshot.ts';
import { ROTATION_ANNOTATION } from '../rotation/record.ts';

/** Maximum expected lag of the cache behind writes of the operator, in milliseconds. */
export const CACHE_GRACE_MS = 3_000;

/** Compares the hashes of cached Secrets and the certificate inputs with those of the last write. Pure function. */
export function observeCertificates(
  memo: CertificatesMemo | undefined,
  inputs: PkiInputs,
  seen: {
    readonly secrets: readonly Secret[];
    readonly now: number;
    readonly monotonic: number;
  },
): CertificatesSnapshot {
  if (memo === undefined) return { state: 'due', reason: 'not read since the operator started' };
  const due = (reason: string): CertificatesSnapshot => ({ state: 'due', reason, last: memo.view });
  if (memo.inputs !== JSON.stringify(inputs)) return due('certificate inputs changed');
  if (seen.now >= memo.view.checkAt) return due('certificates are due for renewal');
  if (isRotated(memo, inputs, seen.secrets)) return due('the record of the rotation changed');
  const mayLag = seen.monotonic - memo.writtenAt < CACHE_GRACE_MS;
  const changed = changedSecrets(memo, seen.secrets).find(
    ({ name, secret }) => !mayLag || !isBehind(memo, name, secret),
  );
  if (changed !== undefined) return due(`Secret ${changed.name}: missing or changed`);
  return { state: 'valid', view: memo.view };
}

/** Whether the record of the rotations is another one than that which the certificates follow. */
function isRotated(
  { rotation, versions }: Pick<CertificatesMemo, 'rotation' | 'versions'>,
  { name }: Pick<PkiInputs, 'name'>,
  secrets: readonly Secret[],
): boolean {
  const backup = instanceName(name, SECRET_SUFFIX.caBackup);
  const cached = secrets.find(({ metadata }) => metadata.name === backup)?.metadata;
  if (cached === undefined || isOlderVersion(cached.resourceVersion, versions.get(backup)))
    return false;
  return cached.annotations?.[ROTATION_ANNOTATION] !== rotation;
}

/** Whether the cache does not contain the last write of a Secret yet. A newer difference is a change by others. */
function isBehind(
  { versions, awaited }: Pick<CertificatesMemo, 'versions' | 'awaited'>,
  name: string,
  secret: Secret | undefined,
): boolean {
  if (secret === undefined) return awaited.has(name);
  return isOlderVersion(secret.metadata.resourceVersion, versions.get(name));
}

/** Notes which created Secrets the cache contains, so that their deletion is repaired at once. */
export function confirmSecrets(
  memo: CertificatesMemo | undefined,
  secrets: readonly Secret[],
): void {
  if (memo === undefined || memo.awaited.size === 0) return;
  for (const { metadata } of secrets) memo.awaited.delete(metadata.name);
}

/** A Secret whose cached hashes differ from those of the last write, or that is no longer paused. */
interface ChangedSecret {
  readonly name: string;
  /** Undefined if the cache does not contain it. */
  readonly secret: Secret | undefined;
}

/** Returns the Secrets whose cached hashes differ from those of the last write, or that are no longer paused, in their order. */
export function changedSecrets(
  memo: Pick<CertificatesMemo, 'secrets' | 'paused'>,
  secrets: readonly Secret[],
): readonly ChangedSecret[] {
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret]));
  return [...memo.secrets].flatMap(([name, wanted]) => {
    const secret = byName.get(name);
    if (secret !== undefined && isPaused(secret)) return [];
    const data = secret?.data ?? {};
    // A certificate of a Secret that was paused may be due since.
    const isChanged =
      memo.paused.has(name) || Object.entries(wanted).some(([key, hash]) => data[key] !== hash);
    return isChanged ? [{ name, secret }] : [];
  });
}
