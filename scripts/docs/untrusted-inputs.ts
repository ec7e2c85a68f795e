/** Data that users and other servers control, with its limit and its reader. */
import { DEFAULT_LIMITS } from '../../src/controlplane/archive.ts';
import { MAX_MESSAGE_LENGTH } from '../../src/etcd/grpc.ts';
import { WEB_SOCKET_LIMITS } from '../../src/kubernetes/connection/dispatcher.ts';
import {
  CONTROL_PLANE_LIMITS,
  HOST_LIMITS,
  MEMBER_LIMITS,
} from '../../src/kubernetes/client/limits.ts';
import { MAX_UNREAD } from '../../src/kubernetes/connection/unread-bytes.ts';
import { REISSUE_LIMITS } from '../../src/pki/reissue-record.ts';
import {
  DER_VALUES,
  OWN_BUNDLE,
  OWN_CERTIFICATE,
  OWN_KUBECONFIG_VALUES,
  PEM_BLOCKS,
  RSA_BITS,
  UNTRUSTED,
  UNTRUSTED_VALUES,
  XML_PARTS,
} from '../../src/untrusted/limits.ts';
import { ROTATION_INPUTS } from './untrusted-rotation-inputs.ts';
import type { UntrustedInput } from './untrusted-input.ts';

const [TENANT, HOST, PLANE] = [
  'author of Karmadas',
  'administrator of a host',
  'administrator of a control plane',
];
const PEM = { limit: UNTRUSTED.pem, more: `${PEM_BLOCKS} blocks`, reader: 'src/untrusted/pem.ts' };
const VALUES = `${UNTRUSTED_VALUES} values`;
const JSON_READER = 'src/untrusted/documents.ts';
const DENSITY = 'one JSON value for each 8 bytes of the limit, 1000 nesting levels';

export const UNTRUSTED_INPUTS: readonly UntrustedInput[] = [
  { data: 'Secret of an external etcd: each key', owner: TENANT, ...PEM },
  {
    data: 'CA bundles and ServiceAccount public keys in Secrets of the operator; custom CA: `tls.crt`',
    owner: TENANT,
    limit: OWN_BUNDLE.size,
    more: `${OWN_BUNDLE.blocks} blocks of at most ${OWN_BUNDLE.block / 1_024} KiB`,
    reader: 'src/pki/secret-bounds.ts',
  },
  {
    data: 'other certificates in Secrets of the operator',
    owner: TENANT,
    limit: OWN_CERTIFICATE.leaf,
    more: `${OWN_CERTIFICATE.leafWithSANs / 1_024} KiB with SANs of the spec; ${DER_VALUES} DER values, and as many in each extension`,
    reader: 'src/pki/set-info.ts',
  },
  { data: '`spec.crdTarball.httpSource.caBundle`', owner: TENANT, ...PEM },
  {
    data: 'private keys',
    owner: TENANT,
    limit: UNTRUSTED.privateKey,
    more: `RSA keys: ${RSA_BITS.client} bits, of CAs ${RSA_BITS.authority} bits`,
    reader: 'src/untrusted/x509.ts',
  },
  {
    data: 'kubeconfig of a host cluster',
    owner: TENANT,
    limit: UNTRUSTED.kubeconfig,
    more: VALUES,
    reader: JSON_READER,
  },
  {
    data: 'kubeconfig of the administrator',
    owner: TENANT,
    limit: UNTRUSTED.kubeconfig,
    more: `${OWN_KUBECONFIG_VALUES} values`,
    reader: 'src/pki/kubeconfig.ts',
  },
  {
    data: 'token of a host cluster',
    owner: TENANT,
    limit: UNTRUSTED.token,
    reader: 'src/host-clusters/parse-credentials.ts',
  },
  { data: 'CA bundle of a host cluster', owner: TENANT, ...PEM },
  {
    data: 'last ready spec in a Secret',
    owner: TENANT,
    limit: UNTRUSTED.storedObject,
    more: VALUES,
    reader: JSON_READER,
  },
  {
    data: 'CRD archive',
    owner: 'author of Karmadas, server',
    limit: DEFAULT_LIMITS.compressed,
    more: `${DEFAULT_LIMITS.unpacked / 2 ** 20} MiB unpacked, ${DEFAULT_LIMITS.entries} entries`,
    reader: 'src/controlplane/archive.ts',
  },
  {
    data: 'file of a CRD archive',
    owner: 'author of Karmadas, server',
    limit: DEFAULT_LIMITS.file,
    more: `${VALUES}, ${DEFAULT_LIMITS.values} in the archive`,
    reader: 'src/controlplane/crd-files.ts',
  },
  {
    data: 'response of an API server',
    owner: HOST,
    limit: HOST_LIMITS.answer,
    more: DENSITY,
    reader: 'src/kubernetes/client/limits.ts',
  },
  {
    data: 'response of an API server',
    owner: PLANE,
    limit: CONTROL_PLANE_LIMITS.answer,
    more: DENSITY,
    reader: 'src/kubernetes/client/limits.ts',
  },
  {
    data: 'response of an API server',
    owner: 'administrator of a member',
    limit: MEMBER_LIMITS.answer,
    more: DENSITY,
    reader: 'src/kubernetes/client/limits.ts',
  },
  {
    data: 'error response of an API server',
    owner: 'every server',
    limit: UNTRUSTED.errorBody,
    more: '100 causes',
    reader: 'src/kubernetes/client/status.ts',
  },
  {
    data: 'TLS certificates of a server',
    owner: 'every server',
    limit: 102_400,
    more: 'a fifth of the time for the servers of a namespace',
    reader: 'src/kubernetes/fairness/received-data.ts',
  },
  {
    data: 'message in an error response',
    owner: 'every server',
    limit: UNTRUSTED.message,
    reader: 'src/kubernetes/client/status.ts',
  },
  {
    data: 'message of a port-forward',
    owner: HOST,
    limit: WEB_SOCKET_LIMITS.maxPayloadSize,
    more: `${WEB_SOCKET_LIMITS.maxFragments} fragments; unread: ${MAX_UNREAD.stream / 2 ** 20} MiB, ${MAX_UNREAD.all / 2 ** 20} MiB of a host cluster`,
    reader: 'src/kubernetes/connection/dispatcher.ts',
  },
  {
    data: 'records in annotations, results of backup containers, `/version`',
    owner: 'author of Karmadas, every server',
    limit: UNTRUSTED.record,
    more: VALUES,
    reader: JSON_READER,
  },
  {
    data: 'record of requested reissues in the CA backup Secret',
    owner: HOST,
    limit: REISSUE_LIMITS.size,
    more: `${REISSUE_LIMITS.values} values`,
    reader: 'src/pki/reissue-record.ts',
  },
  ...ROTATION_INPUTS,
  {
    data: 'lists of namespaces in annotations',
    owner: 'author of Karmadas, administrator of a host',
    limit: UNTRUSTED.record,
    reader: 'src/api/secrets/secret-grant.ts',
  },
  {
    data: 'API versions and kinds of a member cluster, for a restore',
    owner: 'administrator of a member',
    limit: CONTROL_PLANE_LIMITS.answer,
    more: '500 API versions, 1000 kinds of each and 10000 in all, 320 characters of a name',
    reader: 'src/member-clusters/difference/member-kinds.ts',
  },
  {
    data: 'line of a container log, in the kubectl plugin',
    owner: HOST,
    limit: 16 * 2 ** 20,
    reader: 'src/cli/logs/read-logs.ts',
  },
  { data: 'Secret of a member cluster: `caBundle`', owner: PLANE, ...PEM },
  {
    data: 'Secret of a member cluster: `token`',
    owner: PLANE,
    limit: UNTRUSTED.token,
    reader: 'src/member-clusters/access-tasks.ts',
  },
  {
    data: 'message of etcd',
    owner: 'external etcd',
    limit: MAX_MESSAGE_LENGTH,
    reader: 'src/etcd/grpc.ts',
  },
  {
    data: 'message of a stream of etcd',
    owner: 'external etcd',
    limit: 4 * 2 ** 20,
    reader: 'src/etcd/message-splitter.ts',
  },
  {
    data: 'response of an S3 server or a token service',
    owner: 'S3 server',
    limit: UNTRUSTED.xml,
    more: `${XML_PARTS} tags and attributes`,
    reader: 'src/backup/stores/xml.ts',
  },
  {
    data: 'manifest of a backup',
    owner: 'store of backups',
    limit: UNTRUSTED.manifest,
    more: VALUES,
    reader: 'src/backup/format/manifest.ts',
  },
  {
    data: 'Secrets in a backup',
    owner: 'store of backups',
    limit: UNTRUSTED.backedUpObjects,
    more: '200000 values',
    reader: 'src/backup/job/objects.ts',
  },
  {
    data: 'chunk of an encrypted backup',
    owner: 'store of backups',
    limit: 2 ** 20,
    reader: 'src/backup/format/chunks.ts',
  },
];
