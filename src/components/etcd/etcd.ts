/** Local etcd of a control plane. Not rendered for an external etcd. */
import type { V1Volume } from '@kubernetes/client-node';

import type { DefaultedLocalEtcd, DefaultedSpec } from '../../api/defaults/defaults.ts';
import type { VolumeData } from '../../api/karmada.ts';
import { etcdFlags, hasOwnTiming } from '../../api/etcd-settings.ts';
import { instanceName } from '../../api/naming.ts';
import { DATA_VOLUME, dataDirectory } from './data-volume.ts';
import { withEffectiveHash } from './effective-hash.ts';
import {
  HEALTH_PATH,
  JOIN_ANNOTATION,
  JOIN_VARIABLE,
  READY_PATH,
  reportsLearners,
} from './join.ts';
import { REVISIONS } from './revisions.ts';
import type {
  Component,
  EtcdMembership,
  RenderInput,
  TemplateValues,
  UserFields,
} from '../component.ts';
import { serviceHost } from '../values.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

const SUFFIX = 'etcd';
/** Name of the etcd member. The kubelet expands this variable to the Pod name. */
const MEMBER_NAME = '$(KARMADA_ETCD_NAME)';

/** TLS cipher suites of the upstream Go operator, in the same order. */
const CIPHER_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
].join(',');

export const etcd: Component = {
  name: 'etcd',
  terminationGracePeriodSeconds: 60,
  readiness: {
    kind: 'StatefulSet',
    probe: { scheme: 'HTTP', port: 2381, path: READY_PATH },
    apiServices: [],
  },
  settings: (spec) => spec.components.etcd.local,
  values,
  userFields,
  runsAsRoot: ({ spec, etcdMembership }) =>
    etcdMembership?.asRoot === true || volumeKind(local(spec).volumeData) === 'hostPath',
  finish: (workload, input) => withEffectiveHash(workload, hasOwnTiming(local(input.spec))),
};

function local(spec: DefaultedSpec): DefaultedLocalEtcd {
  const settings = spec.components.etcd.local;
  if (!settings)
    throw new Error('local etcd must not be rendered for a control plane with an external etcd');
  return settings;
}

function values(input: RenderInput): TemplateValues {
  const membership = input.etcdMembership ?? newCluster(local(input.spec).replicas);
  const { peers = 'https' } = membership;
  const statefulSet = instanceName(input.name, SUFFIX);
  const domain = serviceHost(input, SUFFIX);
  const members = membership.ordinals.map((ordinal) => {
    const member = `${statefulSet}-${ordinal}`;
    return `${member}=${peers}://${member}.${domain}:2380`;
  });
  return {
    replicas: membership.replicas,
    revisions: membership.asRoot ? REVISIONS.ofGo : REVISIONS.own,
    // Not while others are to join: nothing that the members report may change the Service back and forth.
    singleMember: membership.replicas === 1 && local(input.spec).replicas === 1,
    singleTiming: membership.replicas === 1 && !hasOwnTiming(local(input.spec)),
    clientService: instanceName(input.name, 'etcd-client'),
    advertiseClientUrls: `https://${MEMBER_NAME}.${domain}:2379`,
    listenPeerUrls: `${peers}://0.0.0.0:2380`,
    initialAdvertisePeerUrls: `${peers}://${MEMBER_NAME}.${domain}:2380`,
    initialCluster: members.join(','),
    initialClusterState: membership.state,
    // A unique token prevents etcd members of two control planes from joining one cluster.
    initialClusterToken: membership.token ?? `${statefulSet}.${input.namespace}`,
    isSealed: membership.state === 'existing',
    initialClusterSealed: `${MEMBER_NAME}=${peers}://${MEMBER_NAME}.${domain}:2380$(${JOIN_VARIABLE})`,
    joinVariable: JOIN_VARIABLE,
    joinField: `metadata.annotations['${JOIN_ANNOTATION}']`,
    reportsExit: true,
    dataVolume: dataVolume(input),
    dataDirectory: dataDirectory(dataVolume(input)),
    readyPath: reportsLearners(local(input.spec).imageTag) ? READY_PATH : HEALTH_PATH,
    cipherSuites: CIPHER_SUITES,
  };
}

const dataVolume = ({ etcdMembership }: RenderInput): string =>
  etcdMembership?.volume ?? DATA_VOLUME;

function newCluster(replicas: number): EtcdMembership {
  return {
    replicas,
    ordinals: ordinalsBelow(replicas),
    state: 'new',
  };
}

/** Returns the volume type in use. The claim has precedence, as in the StatefulSet controller. */
export function volumeKind(data: VolumeData): keyof VolumeData {
  if (data.volumeClaim) return 'volumeClaim';
  return data.hostPath ? 'hostPath' : 'emptyDir';
}

function userFields(input: RenderInput): UserFields {
  const { volumeData } = local(input.spec);
  const extraArgs = etcdFlags(local(input.spec));
  const { volumeClaim, hostPath, emptyDir } = volumeData;
  if (volumeClaim) {
    const { labels, annotations, finalizers = [] } = volumeClaim.metadata ?? {};
    const metadata = {
      name: dataVolume(input),
      ...(hasKeys(labels) && { labels }),
      ...(hasKeys(annotations) && { annotations }),
      // Server-side apply treats finalizers as a set and rejects duplicate entries.
      ...(finalizers.length > 0 && { finalizers: [...new Set(finalizers)] }),
    };
    return { extraArgs, volumeClaims: [{ metadata, spec: volumeClaim.spec }] };
  }
  const volume: V1Volume = hostPath
    ? { name: DATA_VOLUME, hostPath }
    : { name: DATA_VOLUME, emptyDir: emptyDir ?? {} };
  return { extraArgs, volumes: [volume] };
}

function hasKeys(map: object | undefined): boolean {
  return map !== undefined && Object.keys(map).length > 0;
}
