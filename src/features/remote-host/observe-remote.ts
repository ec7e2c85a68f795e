import type { ObserveContext, SpecFacts } from '../../actions/observers.ts';
import { hostEndpointOf, hostReference, hostSecretOf } from '../../host-clusters/host-reference.ts';
import {
  clusterUid,
  type Host,
  type ManagementCluster,
  type Remote,
} from '../../host-clusters/host.ts';
import { hostNamespaceLabels, type PodSecurityLevel } from '../../host-clusters/host-namespace.ts';
import { hostNamespaceRefusal, managementOf } from '../../host-clusters/namespace-access.ts';
import type { RemoteSnapshot, Snapshot } from '../../instance/snapshot.ts';
import { kubeconfigCopy } from './remote-host.ts';

export interface RemoteReaders {
  readonly host: Host;
  readonly local: Pick<ManagementCluster, 'karmadas' | 'owned' | 'namespaces'>;
  readonly hostPodSecurity: PodSecurityLevel;
}

/** Reads what the caches show about a remote host cluster. */
export const observeRemote = (
  { tools }: ObserveContext<RemoteReaders>,
  { karmada }: SpecFacts,
): Pick<Snapshot, 'remote'> => {
  const { remote } = tools.host;
  return remote ? { remote: remoteOf(remote, tools, karmada) } : {};
};

function remoteOf(
  { server }: Remote,
  { host, local, hostPodSecurity }: RemoteReaders,
  karmada: Snapshot['karmada'],
): RemoteSnapshot {
  const uid = clusterUid(host);
  const reference = hostReference(karmada);
  const { namespace: name = '' } = karmada.metadata;
  const kubeconfig = kubeconfigCopy(local, karmada);
  const namespaceWarning = hostNamespaceRefusal(host, local, karmada);
  return {
    server,
    secret: reference ? hostSecretOf(reference) : '',
    endpoint: hostEndpointOf(reference ?? {}, server),
    hasNamespace: host.namespaces?.cache.get({ name }) !== undefined,
    namespaceLabels: hostNamespaceLabels(managementOf(local, name), hostPodSecurity),
    ...(namespaceWarning && { namespaceWarning }),
    ...(uid && { uid }),
    ...(kubeconfig && { kubeconfig }),
  };
}
