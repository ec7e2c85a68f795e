/** Warnings about etcd: members, release, storage and external endpoints. */
import { faultsOfEtcd } from '../versions/etcd-releases.ts';
import type { VolumeData } from '../karmada.ts';
import { TESTED_ETCD } from '../releases/etcd-images.ts';
import { productVersion, supportOfEtcd } from '../versions/versions.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { when } from './warning.ts';

function etcdMembers({ spec }: Subject): readonly Warning[] {
  const members = spec.components.etcd.local?.replicas ?? 1;
  const message = `spec.components.etcd.local.replicas: ${members} etcd members tolerate no more failures than ${members - 1}; set ${members - 1} or ${members + 1}.`;
  return when(members % 2 === 0, 'EvenEtcdMembers', message);
}

function etcdRelease({ spec }: Subject): readonly Warning[] {
  const found = faultsOfEtcd(spec.components.etcd.local?.imageTag ?? '');
  if (!found) return [];
  const message = `spec.components.etcd.local.imageTag: etcd ${found.release} ${found.effects.join(', and ')}; use etcd ${found.recommended} or a newer patch release.`;
  return [{ reason: 'FaultyEtcdRelease', message }];
}

function etcdVersion({ spec }: Subject): readonly Warning[] {
  const { imageTag = '' } = spec.components.etcd.local ?? {};
  const support = supportOfEtcd(imageTag);
  if (support === 'tested' || productVersion('etcd', imageTag) === undefined) return [];
  const field = 'spec.components.etcd.local.imageTag';
  const tested = TESTED_ETCD.map((minor) => `3.${minor}`).join(' and ');
  if (support === 'blocked')
    return [
      {
        reason: 'UnsupportedVersions',
        message: `${field}: etcd ${imageTag} is not supported; use etcd 3.${Math.min(...TESTED_ETCD)} or later.`,
      },
    ];
  const message = `${field}: this version of the operator is not tested with etcd ${imageTag}; the tests run etcd ${tested}.`;
  return [{ reason: 'UntestedVersions', message }];
}

/** Name of the volumeClaimTemplate, which is part of the names of existing PVCs. */
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
        `${FIELD}: volumeClaim takes precedence, so ${others} has no effect; remove ${others}.`,
      ),
      ...when(
        named,
        'ClaimNameIgnored',
        `${FIELD}.volumeClaim.metadata.name: has no effect, because the template name is always ${CLAIM_NAME}; remove it.`,
      ),
    ];
  }
  const ephemeral = `${FIELD}: etcd stores data in an emptyDir, which is lost when the Pod or the node is deleted; to keep data, create a new Karmada with volumeClaim.`;
  const bound = `${FIELD}: etcd stores data on the node (hostPath), so a member that moves to another node starts without data; create a new Karmada with volumeClaim instead.`;
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
    'spec.components.etcd.external.endpoints: plain http URL, so all data, including Secrets, can be read in transit; use https.',
  );
}

export const ETCD_WARNINGS: readonly WarningRule[] = [
  etcdMembers,
  etcdRelease,
  etcdVersion,
  etcdStorage,
  externalEtcd,
];
