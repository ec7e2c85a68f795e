/** Whether a control plane with these names has data. Objects of others count too: then the operator creates no CA. */
import { instanceName } from '../../api/naming.ts';
import type { Host } from '../../host-clusters/host.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { ExistingData, Presence } from '../../pki/ca-recovery.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { etcdClaimsOf, isNamedClaim } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Reads whether data exists, live, because caches contain only labeled objects. @throws ApiError, NetworkError */
export async function readExistingData(
  { client }: Pick<Host, 'client'>,
  { name, namespace }: PkiInputs,
  { karmada }: Pick<Snapshot, 'karmada'>,
): Promise<ExistingData> {
  const [etcd, apiserver, claims] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name: instanceName(name, 'etcd') }),
    client.find(resources.Deployment, { namespace, name: instanceName(name, 'apiserver') }),
    client.list(resources.PersistentVolumeClaim, {
      ...{ namespace, metadataOnly: true },
      ...etcdClaimsOf(name),
    }),
  ]);
  const presence = (there: boolean): Presence => (there ? 'present' : 'absent');
  return {
    etcdWorkload: presence(etcd !== undefined),
    apiserver: presence(apiserver !== undefined),
    etcdClaims: presence(claims.items.some((claim) => isNamedClaim(claim, name))),
    statusReady: presence(karmada.status?.secretRef?.name !== undefined),
  };
}
