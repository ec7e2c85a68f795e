/** Warnings about the storage of the control plane. */
import type { VolumeData } from './karmada.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { when } from './warning.ts';

function etcdMembers({ spec }: Subject): readonly Warning[] {
  const members = spec.components.etcd.local?.replicas ?? 1;
  const message = `${members} members of etcd survive no more failures than ${members - 1}; set spec.components.etcd.local.replicas to ${members - 1} or ${members + 1}.`;
  return when(members % 2 === 0, 'EvenEtcdMembers', message);
}

/** Name of the claim template, which existing claims have in their names. */
const CLAIM_NAME = 'etcd-data';
const FIELD = 'spec.components.etcd.local.volumeData';

function etcdStorage({ spec }: Subject): readonly Warning[] {
  const volume: VolumeData = spec.components.etcd.local?.volumeData ?? {};
  const { volumeClaim, hostPath, emptyDir } = volume;
  const others = hostPath ? 'hostPath' : 'emptyDir';
  if (volumeClaim) {
    const ignored = Boolean(hostPath ?? emptyDir);
    const named = ![undefined, '', CLAIM_NAME].includes(volumeClaim.metadata?.name);
    return [
      ...when(
        ignored,
        'VolumeKindIgnored',
        `${FIELD} has a claim, so ${others} beside it has no effect; remove ${others}.`,
      ),
      ...when(
        named,
        'ClaimNameIgnored',
        `${FIELD}.volumeClaim.metadata.name has no effect, as the template is always called ${CLAIM_NAME}; remove it.`,
      ),
    ];
  }
  const ephemeral = `etcd keeps its data in an emptyDir: all of it is lost when a pod is deleted or its node is. Give ${FIELD}.volumeClaim in a new instance to keep data.`;
  const bound = `etcd keeps its data on its node (hostPath): a member that moves to another node starts without it. Give ${FIELD}.volumeClaim in a new instance instead.`;
  return [
    ...when(Boolean(emptyDir), 'EphemeralEtcd', ephemeral),
    ...when(Boolean(hostPath), 'EtcdBoundToNode', bound),
  ];
}

function externalEtcd({ spec }: Subject): readonly Warning[] {
  const endpoints = spec.components.etcd.external?.endpoints ?? [];
  return when(
    endpoints.some((endpoint) => endpoint.startsWith('http://')),
    'PlaintextEtcd',
    'spec.components.etcd.external.endpoints has a plain http URL: all data, Secrets included, can be read on the way; use https.',
  );
}

export const ETCD_WARNINGS: readonly WarningRule[] = [etcdMembers, etcdStorage, externalEtcd];
