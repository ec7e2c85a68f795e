/** Which objects of a control plane are cached, and up to which version. */
import type { Informer } from '../kubernetes/informers/informer.ts';
import { resources } from '../kubernetes/objects/resources.ts';

/** Kinds besides CRDs. */
export const KINDS = [
  resources.Namespace,
  resources.Service,
  resources.ClusterRole,
  resources.ClusterRoleBinding,
  resources.Role,
  resources.RoleBinding,
  resources.ConfigMap,
  resources.MutatingWebhookConfiguration,
  resources.ValidatingWebhookConfiguration,
  resources.APIService,
] as const;

/** Version of a cache whose first list is still to come: what was created before is part of that list. */
const UNREAD = '0';

/** Version up to which a cache is complete. @returns undefined without a cache, or while it is read again */
export const versionOf = (
  informer: Pick<Informer, 'version' | 'hasSynced'> | undefined,
): string | undefined => (informer?.hasSynced === false ? UNREAD : informer?.version);
