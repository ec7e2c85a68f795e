/** CustomResourceDefinition of the `Karmada` kind. */
import { columns } from './columns.ts';
import { compact, published } from './compact.ts';
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
import { networkFields } from './network.ts';
import { podSettings } from './pod-settings.ts';
import type { Schema } from './schema.ts';
import { booleanMap, flag, integer, list, object, OBJECT_METADATA, SHOWN, text } from './schema.ts';
import { certificates } from './rotation.ts';
import { status } from './status.ts';
import {
  API_ENDPOINT,
  DNS_DOMAIN,
  GATES,
  IMAGE_REGISTRY,
  PROXY_URL,
  RELEASE,
  STEP_DURATION,
} from './syntax.ts';

function secretReference(description: string, namespace: string, extra: Overlay): Schema {
  const fields = {
    name: text('Name of the Secret.', OPTIONAL_OBJECT_NAME),
    namespace: text(namespace, OPTIONAL_DNS_LABEL),
  };
  return lay(object(description, fields), extra);
}

const hostCluster = object(
  'Cluster that runs the Pods of the control plane: the one of this object, or a remote one.',
  {
    apiEndpoint: text(
      'URL of the API server of a remote host cluster, for a Secret with a token but without the key server.',
      API_ENDPOINT,
    ),
    secretRef: secretReference(
      'Secret with credentials for a remote host cluster: key "kubeconfig", or keys "token", "caBundle" and "server". If no name is set, the control plane runs in the cluster of this object. New credentials in the Secret are applied without a restart. Cannot be added or removed after the control plane was Ready once.',
      'Namespace of the Secret. Required if name is set.',
      { rules: REFERENCE_RULES },
    ),
    networking: object('Networking of the host cluster.', {
      dnsDomain: text(
        'DNS domain of Services in the host cluster, with which the components find each other. Defaults to cluster.local.',
        DNS_DOMAIN,
      ),
    }),
  },
);

/** Schema of a reference to one key of a ConfigMap or Secret in the namespace of the Karmada. */
function archiveKey(description: string, kind: string, field: string): Schema {
  return object(
    description,
    {
      name: text(`Name of the ${kind} in the namespace of this object.`, OBJECT_NAME),
      key: text(`Key in ${field} of the ${kind}.`, { default: 'crds.tar.gz', ...CONFIG_KEY }),
    },
    { required: ['name'] },
  );
}

const crdTarball = object(
  'CRDs of the control plane; set exactly one source. Defaults to the archive of the Karmada release in the operator image. The operator verifies the whole archive before use.',
  {
    httpSource: object(
      'Archive that the operator downloads in the background.',
      {
        url: text(
          'HTTP or HTTPS URL of the archive (gzipped tar). Redirects are followed, except from HTTPS to HTTP. Users who can read this object see a password in it.',
          { maxLength: 2048, 'x-kubernetes-validations': DOWNLOAD_URL_RULES },
        ),
        proxy: object(
          'Proxy for the download. Defaults to the proxy environment variables of the operator.',
          {
            proxyURL: text('URL of the proxy, with the scheme http, https or socks5.', PROXY_URL),
          },
          { required: ['proxyURL'] },
        ),
        // Inline and not a reference, as in webhooks and APIServices: not secret, and it changes with the URL.
        caBundle: text(
          'Base64-encoded PEM certificates of the CAs to trust instead of the well-known CAs. Inline because it is not secret.',
          { format: 'byte', maxLength: 262_144 },
        ),
        sha256: text(
          'SHA-256 checksum of the archive in hexadecimal. The operator rejects other data before unpacking.',
          { pattern: '^[0-9A-Fa-f]{64}$', ...SHOWN },
        ),
      },
      { required: ['url'] },
    ),
    configMapRef: archiveKey(
      'Archive in a ConfigMap in the namespace of this object. Read after each change of this object and every ten minutes.',
      'ConfigMap',
      'binaryData',
    ),
    secretRef: archiveKey(
      'Archive in a Secret in the namespace of this object. Read after each change of this object and every ten minutes.',
      'Secret',
      'data',
    ),
    crdDownloadPolicy: text(
      'For httpSource. IfNotPresent: download once. Always: download again after each spec change and operator start; the operator uses the previous copy until the download succeeds.',
      { default: 'IfNotPresent', enum: ['Always', 'IfNotPresent'] },
    ),
  },
  { 'x-kubernetes-validations': CRD_TARBALL_RULES },
);

const customCertificate = object('Certificate settings of the control plane.', {
  apiServerCACert: secretReference(
    'Secret in the host cluster with tls.crt and tls.key of the CA that signs the certificates of the control plane, except those of etcd. Defaults to a generated CA. The operator uses another CA of the Secret only in a rotation of ca.',
    'Namespace of the Secret. Required if name is set.',
    { required: ['name', 'namespace'], fields: { name: NOT_EMPTY, namespace: NOT_EMPTY } },
  ),
  leafCertValidityDays: integer(
    'Validity period of certificates in days. They are renewed after two thirds of it. Defaults to 365. A change reissues them.',
    'int32',
    {
      minimum: 1,
      // A longer duration in nanoseconds does not fit into a 64-bit integer.
      maximum: 106_751,
    },
  ),
});

const spec = object('Desired state of the control plane.', {
  hostCluster,
  version: text(
    'Karmada release of all components and CRDs, such as v1.18.2. Default image tags follow this field; an imageTag of another release is rejected. Another release is an upgrade in the order of stages; an older one is blocked. If not set, each imageTag is independent.',
    RELEASE,
  ),
  privateRegistry: object(
    'Registry for images whose imageRepository is not set. A change restarts the Pods of all components.',
    {
      registry: text(
        'Host of the registry, optionally with a port and a path. Each image keeps its name below it. Defaults to the official registries.',
        IMAGE_REGISTRY,
      ),
    },
    { required: ['registry'] },
  ),
  imagePullSecrets: list(
    'Secrets with registry credentials for all images. A change restarts the Pods of all components.',
    object(
      'Secret of type kubernetes.io/dockerconfigjson in the namespace of this object.',
      { name: text('Name of the Secret.', OBJECT_NAME) },
      { required: ['name'] },
    ),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  ),
  components,
  podSettings,
  featureGates: lay(
    booleanMap(
      'Feature gates of karmada-aggregated-apiserver, karmada-controller-manager, karmada-scheduler, karmada-scheduler-estimator and karmada-webhook, by name. A change restarts their Pods.',
    ),
    GATES,
  ),
  crdTarball,
  customCertificate,
  certificates,
  ...networkFields,
  upgrade: object('Backup before an upgrade, and action after a failed change.', {
    backup: text(
      'Backup before an upgrade of Karmada, Kubernetes or etcd. Required: no upgrade without a verified backup. IfConfigured: only if the namespace has a KarmadaBackupStore or a KarmadaBackupSchedule for this object. Never: none. Defaults to IfConfigured.',
      { enum: ['Required', 'IfConfigured', 'Never'] },
    ),
    onFailure: text(
      'Action if a step of a change fails. Rollback: return to the last spec that was Ready, except etcd and CRDs. Halt: stop at this step. Defaults to Halt.',
      { enum: ['Halt', 'Rollback'] },
    ),
    stepDeadline: text(
      'Time for one step of a change, such as 15m. Then it has failed. Only for onFailure Rollback. Defaults to 10m.',
      STEP_DURATION,
    ),
  }),
  suspend: flag(
    'If true, the operator does not change this control plane, which keeps running. Deletion is still processed. Defaults to false.',
  ),
  deletionPolicy: text(
    'Delete: a deletion of this object deletes the control plane at once. ConfirmMembers: with joined member clusters, it waits for the annotation operator.karmada.io/confirm-deletion. Defaults to Delete.',
    { enum: ['Delete', 'ConfirmMembers'] },
  ),
});

const schema = object(
  'Karmada control plane that runs as Pods in a host cluster.',
  {
    apiVersion: text('API group and version: operator.karmada.io/v1alpha1.'),
    kind: text('Kind of the object: Karmada.'),
    metadata: OBJECT_METADATA,
    spec,
    status,
  },
  { 'x-kubernetes-validations': ROOT_RULES },
);

/** Schema of the kind, with the disclosure of its fields. */
export const karmadaSchema = compact(schema);

/** Complete CRD manifest as an object. */
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
      shortNames: ['kmd'],
      categories: ['karmada-io'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: { openAPIV3Schema: published(karmadaSchema) },
      },
    ],
  },
} as const;
