/** Creates what a change preview uses, from a connection of a command. */
import { createSecretPolicy } from '../../api/secrets/secret-policy.ts';
import type { CrossNamespaceSecrets } from '../../api/secrets/secret-grant.ts';
import { MAX_HOST_CLUSTERS } from '../../host-clusters/host-limits.ts';
import { PLATFORM_KEYS } from '../../pki/keys.ts';
import type { PlanTools } from '../plan.ts';
import type { Connection } from '../program/connect.ts';
import { loadArchive } from '../program/crd-archive.ts';
import type { Environment } from '../program/environment.ts';

interface PlanSettings {
  /** Path of `--crds`. */
  readonly crds?: string;
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
  readonly maxHostClustersPerNamespace?: number;
}

/** Returns the tools of `plan`. The Karmada has its defaults already, so a default StorageClass has no effect. */
export const planTools = (
  environment: Environment,
  { client, connect }: Connection,
  { crds, crossNamespaceSecrets, maxHostClustersPerNamespace = MAX_HOST_CLUSTERS }: PlanSettings,
): PlanTools => ({
  client,
  connect,
  templates: environment.templates(),
  clock: environment.clock,
  keys: PLATFORM_KEYS,
  secretPolicy: createSecretPolicy(crossNamespaceSecrets, () => []),
  maxHostClusters: maxHostClustersPerNamespace,
  archiveOf: (karmada) =>
    loadArchive(environment, karmada, { defaultStorageClass: false, file: crds }),
});
