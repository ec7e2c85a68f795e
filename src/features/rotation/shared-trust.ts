/**
 * The ConfigMap with which API servers publish the CAs of clients, and from which aggregated API servers take theirs: pure.
 * API servers only ever add to it, so that a former CA is taken out by an edit.
 */
import { KUBE_SYSTEM } from '../../controlplane/rbac-rules.ts';
import type { ConfigMap } from '../../kubernetes/objects/kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { identifyCertificate } from '../../pki/certificate-info.ts';
import type { AuthorityName } from '../../pki/types.ts';
import { certificateBlocks, pemFault } from '../../untrusted/pem.ts';
import type { AuthorityFacts } from './facts.ts';

export const SHARED_TRUST = {
  namespace: KUBE_SYSTEM,
  name: 'extension-apiserver-authentication',
} as const;

/** What was read. */
export interface SharedTrust {
  /** Absent if it does not exist. */
  readonly configMap?: ConfigMap;
  /** Monotonic. */
  readonly observedAt: number;
}

/** Keys of the ConfigMap; etcd does not use it. */
const KEYS: Readonly<Partial<Record<AuthorityName, string>>> = {
  ca: 'client-ca-file',
  'front-proxy-ca': 'requestheader-client-ca-file',
};

/** Not observed, which is never a proof. */
const UNREAD: SharedTrust = { observedAt: -Infinity };

/** Describes the CAs that it distributes. @param shared absent if it was not read */
export function sharedRoots(
  shared: SharedTrust | undefined,
  authority: AuthorityName,
): AuthorityFacts['objects'] {
  const { configMap, observedAt } = shared ?? UNREAD;
  const key = KEYS[authority];
  if (key === undefined) return [];
  // Nothing is known of a bundle above the limits, not even what it lacks.
  if (pemFault(configMap?.data?.[key] ?? '') !== undefined) return sharedRoots(UNREAD, authority);
  const roots = certificatesIn(configMap, key).map(({ sha256 }) => sha256);
  const times = (configMap?.metadata.managedFields ?? []).map(({ time }) => parseTime(time));
  const changedAt = Math.max(...times);
  const isKnown = Number.isFinite(changedAt);
  const what = { name: `ConfigMap ${SHARED_TRUST.name}`, kind: 'shared' as const };
  return [{ ...what, roots, observedAt, ...(isKnown && { changedAt }) }];
}

const certificatesIn = (
  configMap: ConfigMap | undefined,
  key: string,
): readonly { readonly pem: string; readonly sha256: string }[] =>
  certificateBlocks(configMap?.data?.[key] ?? '').map((pem) => ({
    pem,
    sha256: identifyCertificate(pem)?.sha256 ?? '',
  }));

/** Returns the data without one CA. */
export function withoutRoot(
  configMap: ConfigMap,
  authority: AuthorityName,
  root: string,
): Readonly<Record<string, string>> {
  const key = KEYS[authority];
  if (key === undefined) return {};
  const kept = certificatesIn(configMap, key).filter(({ sha256 }) => sha256 !== root);
  return { [key]: kept.map(({ pem }) => pem).join('') };
}
