/** The CustomResourceDefinition of Karmada. */
import { compact } from './compact.ts';
import { components } from './components.ts';
import { lay, type Overlay } from './kubernetes/overlay.ts';
import {
  CONFIG_KEY,
  NOT_EMPTY,
  OBJECT_NAME,
  OPTIONAL_DNS_LABEL,
  OPTIONAL_OBJECT_NAME,
} from './kubernetes/patterns.ts';
import { CRD_TARBALL_RULES, DOWNLOAD_URL_RULES, REFERENCE_RULES, ROOT_RULES } from './rules.ts';
import type { Schema } from './schema.ts';
import { booleanMap, flag, integer, list, object, text } from './schema.ts';
import { status } from './status.ts';
import { API_ENDPOINT, DNS_DOMAIN, GATES, IMAGE_REGISTRY, PROXY_URL, RELEASE } from './syntax.ts';

function secretReference(description: string, namespace: string, extra: Overlay): Schema {
  const fields = {
    name: text('Name of the Secret.', OPTIONAL_OBJECT_NAME),
    namespace: text(namespace, OPTIONAL_DNS_LABEL),
  };
  return lay(object(description, fields), extra);
}

const hostCluster = object('Cluster that runs the pods of the control plane.', {
  apiEndpoint: text(
    'Address of the API server of a remote host cluster, for a Secret with a token. A kubeconfig has its own.',
    API_ENDPOINT,
  ),
  secretRef: secretReference(
    'Secret with a key "kubeconfig", or with the keys "token" and "caBundle", for a remote host cluster. Without a name the host is the cluster that holds the Karmada. Cannot be added or removed once the instance was ready.',
    'Namespace of the Secret; to be set together with the name.',
    { rules: REFERENCE_RULES },
  ),
  networking: object('Networking of the host cluster.', {
    dnsDomain: text('DNS domain of its Services. Default: cluster.local.', DNS_DOMAIN),
  }),
});

/** A key of an object beside the Karmada. */
function archiveKey(description: string, kind: string, field: string): Schema {
  return object(
    description,
    {
      name: text(`Name of the ${kind}.`, OBJECT_NAME),
      key: text(`Key in ${field} of the ${kind}.`, { default: 'crds.tar.gz', ...CONFIG_KEY }),
    },
    { required: ['name'] },
  );
}

const crdTarball = object(
  'Source of the CRDs of the control plane, exactly one. Default: the archive in the image of the operator. An archive is checked from its first byte to its last before anything of it is used.',
  {
    httpSource: object(
      'An archive to download.',
      {
        url: text(
          'URL of the archive, a gzipped tar, with http or https. Redirects are followed, but not from https to http.',
          { maxLength: 2048, 'x-kubernetes-validations': DOWNLOAD_URL_RULES },
        ),
        proxy: object(
          'Proxy for the download. Default: that of the environment of the operator.',
          {
            proxyURL: text('URL of a proxy, with http, https or socks5.', PROXY_URL),
          },
          { required: ['proxyURL'] },
        ),
        caBundle: text(
          'PEM certificates of the CAs to trust, in base64, in place of the well-known ones. It is given here and not by reference, as in webhooks and APIServices: it is not secret, and it changes together with the URL it is for.',
          { format: 'byte', maxLength: 262_144 },
        ),
        sha256: text(
          'SHA-256 of the archive in hexadecimal. Other bytes are refused before they are looked into.',
          { pattern: '^[0-9A-Fa-f]{64}$' },
        ),
      },
      { required: ['url'] },
    ),
    configMapRef: archiveKey(
      'An archive in a ConfigMap in the namespace of the Karmada. It is read when the Karmada changes, and every ten minutes.',
      'ConfigMap',
      'binaryData',
    ),
    secretRef: archiveKey(
      'An archive in a Secret in the namespace of the Karmada. It is read when the Karmada changes, and every ten minutes.',
      'Secret',
      'data',
    ),
    crdDownloadPolicy: text(
      'For httpSource. IfNotPresent downloads an archive once. Always downloads it again when the spec has changed and when the operator starts; until that succeeds the copy that is there is used.',
      { default: 'IfNotPresent', enum: ['Always', 'IfNotPresent'] },
    ),
  },
  { 'x-kubernetes-validations': CRD_TARBALL_RULES },
);

const customCertificate = object('Certificates of the control plane.', {
  apiServerCACert: secretReference(
    'Secret in the host cluster with tls.crt and tls.key of a CA that signs the certificates. Default: a CA of its own. Read at the first installation.',
    'Namespace of the Secret; to be set together with the name.',
    { required: ['name', 'namespace'], fields: { name: NOT_EMPTY, namespace: NOT_EMPTY } },
  ),
  leafCertValidityDays: integer('Life of a certificate in days. Default: 365.', 'int32', {
    minimum: 1,
    // Beyond it a duration in nanoseconds no longer fits 64 bits.
    maximum: 106_751,
  }),
});

const spec = object('What is wanted.', {
  hostCluster,
  version: text(
    'Release of Karmada, such as v1.17.1, for all its components and CRDs. Tags that were defaults follow it; an imageTag of another release is refused. Without it each tag stands for itself.',
    RELEASE,
  ),
  privateRegistry: object(
    'Registry for the images whose imageRepository is not set.',
    { registry: text('Host of the registry, with a path if need be.', IMAGE_REGISTRY) },
    { required: ['registry'] },
  ),
  imagePullSecrets: list(
    'Secrets with credentials for the registries of all images, in the namespace of the Karmada.',
    object(
      'A Secret of type kubernetes.io/dockerconfigjson.',
      { name: text('Name of the Secret.', OBJECT_NAME) },
      { required: ['name'] },
    ),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  ),
  components,
  featureGates: lay(
    booleanMap(
      'Feature gates of the Karmada components that know them: aggregated-apiserver, controller-manager, scheduler, webhook.',
    ),
    GATES,
  ),
  crdTarball,
  customCertificate,
  suspend: flag('While true the operator changes nothing but carries out a deletion.'),
});

const schema = object(
  'A Karmada control plane that runs as pods in a host cluster.',
  {
    apiVersion: text('operator.karmada.io/v1alpha1'),
    kind: text('Karmada'),
    // The limit that every object has anyway lets the API server bound the cost of the rules.
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 253 } } },
    spec,
    status,
  },
  { 'x-kubernetes-validations': ROOT_RULES },
);

interface Column {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
}

// A date column shows the time passed since, so one that lies ahead has to be a string.
const columns: readonly Column[] = [
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Version', type: 'string', jsonPath: '.status.versions.karmada' },
  { name: 'Etcd', type: 'string', jsonPath: '.status.etcd' },
  { name: 'Cert-Expiry', type: 'string', jsonPath: '.status.certificateExpiry' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** The whole manifest as an object. */
export const karmadaCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'karmadas.operator.karmada.io' },
  spec: {
    group: 'operator.karmada.io',
    scope: 'Namespaced',
    names: {
      kind: 'Karmada',
      listKind: 'KarmadaList',
      plural: 'karmadas',
      singular: 'karmada',
      categories: ['karmada-io'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: { openAPIV3Schema: compact(schema) },
      },
    ],
  },
} as const;
