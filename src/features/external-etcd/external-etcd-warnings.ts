/** Warnings about an external etcd: pure. */
import { when, type Warning } from '../../api/warnings/warning.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isBegun } from '../../instance/begun.ts';
import { sharedBy } from './external-etcd.ts';

/** How early to warn about the expiry of the client certificate, in milliseconds. The user must renew it. */
const ENDS_SOON_MS = 14 * 86_400_000;

export function externalWarnings(snapshot: Snapshot): readonly Warning[] {
  const { check, older, secret } = snapshot.externalEtcd ?? {};
  const shared = older !== undefined && isBegun(snapshot) ? [sharedBy(older)] : [];
  if (check?.outcome !== 'served' || secret === undefined) return shared;
  const { namespace, name } = secret.source;
  const { notAfter } = check.access;
  const ends = new Date(notAfter).toISOString();
  return [
    ...shared,
    ...(check.down ? [check.down] : []),
    ...when(
      notAfter - snapshot.now < ENDS_SOON_MS,
      'EtcdClientCertificateExpiring',
      `Secret ${namespace}/${name}: the certificate in tls.crt expires at ${ends}; replace it, the API servers reload it without a restart.`,
    ),
  ];
}
