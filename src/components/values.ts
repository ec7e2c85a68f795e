/** Template values shared by several components. */
import type { DefaultedSettings, DefaultedSpec } from '../api/defaults/defaults.ts';
import { etcdClientSecret } from '../api/external-etcd.ts';
import { COMPONENT_SUFFIX, instanceName, SECRET_SUFFIX } from '../api/naming.ts';
import type { Component, RenderInput, TemplateValues } from './component.ts';
import { ESTIMATOR_CLIENT_REVISION, isRevision } from './template-revision.ts';

/** User and group of every container: `nonroot` of distroless images. */
export const NON_ROOT_USER = 65532;
const ROOT_USER = 0;

/** Returns the values that every template may use. */
export function commonValues(
  component: Component,
  settings: DefaultedSettings,
  input: RenderInput,
): TemplateValues {
  const asRoot = component.runsAsRoot(input);
  return {
    component: component.name,
    instance: input.name,
    name: instanceName(input.name, COMPONENT_SUFFIX[component.name]),
    namespace: input.namespace,
    replicas: settings.replicas,
    image: `${settings.imageRepository}:${settings.imageTag}`,
    imagePullPolicy: settings.imagePullPolicy,
    linuxNodes: isRevision(input, 1),
    reportsExit: isRevision(input, 1),
    imagePullSecrets: (input.spec.imagePullSecrets ?? []).map(({ name }) => name),
    runAsNonRoot: !asRoot,
    runAsUser: asRoot ? ROOT_USER : NON_ROOT_USER,
    terminationGracePeriodSeconds: component.terminationGracePeriodSeconds,
    secrets: secretNames(component, input.name),
  };
}

function secretNames(component: Component, name: string): TemplateValues {
  const all = Object.entries(SECRET_SUFFIX).map(
    ([key, suffix]) => [key, instanceName(name, suffix)] as const,
  );
  return {
    ...Object.fromEntries(all),
    config: instanceName(name, `${COMPONENT_SUFFIX[component.name]}-config`),
  };
}

/** Returns the DNS name of a Service of this control plane in the host cluster. */
export function serviceHost(
  input: Pick<RenderInput, 'name' | 'namespace' | 'spec'>,
  suffix: string,
): string {
  return `${instanceName(input.name, suffix)}.${input.namespace}.svc.${dnsDomain(input.spec)}`;
}

/** Returns the DNS domain of the host cluster. */
export function dnsDomain(spec: DefaultedSpec): string {
  return spec.hostCluster.networking.dnsDomain;
}

/** Name of the volume with the etcd CA and the etcd client certificate of the API servers. */
export const ETCD_VOLUME = 'etcd-client-cert';

/** Pod template annotation: hash of the external etcd CA. A change restarts the etcd clients. */
export const ETCD_TRUST_ANNOTATION = 'operator.karmada.io/etcd-trust-hash';

const PKI_DIRECTORY = '/etc/karmada/pki';
const ETCD_CLIENT_DIRECTORY = `${PKI_DIRECTORY}/etcd-client`;
const LOCAL_ETCD_KEYS = ['etcd-ca.crt', 'etcd-client.crt', 'etcd-client.key'] as const;
const EXTERNAL_ETCD_KEYS = ['ca.crt', 'tls.crt', 'tls.key'] as const;

/** Returns the etcd client values of the three API servers: endpoints, file paths, Secret name and its keys. */
export function etcdClientValues(input: RenderInput): { readonly etcdClient: TemplateValues } {
  const { external } = input.spec.components.etcd;
  const keys = external ? EXTERNAL_ETCD_KEYS : LOCAL_ETCD_KEYS;
  const [ca, certificate, key] = keys;
  return {
    etcdClient: {
      keys,
      volume: ETCD_VOLUME,
      secret: external
        ? etcdClientSecret(input, external).mounted
        : instanceName(input.name, SECRET_SUFFIX.etcdCert),
      trustAnnotation: ETCD_TRUST_ANNOTATION,
      trust: (external && input.etcdTrust) ?? '',
      caFile: `${ETCD_CLIENT_DIRECTORY}/${ca}`,
      certFile: `${ETCD_CLIENT_DIRECTORY}/${certificate}`,
      keyFile: `${ETCD_CLIENT_DIRECTORY}/${key}`,
      servers: external
        ? external.endpoints.join(',')
        : `https://${serviceHost(input, 'etcd-client')}:2379`,
    },
  };
}

/** Returns the Service name prefix and the client certificate with which scheduler and descheduler connect to estimators. */
export function estimatorValues(input: RenderInput): TemplateValues {
  const isOwn = isRevision(input, ESTIMATOR_CLIENT_REVISION);
  const [certificate, key] = isOwn ? ['tls.crt', 'tls.key'] : ['karmada.crt', 'karmada.key'];
  return {
    estimatorPrefix: instanceName(input.name, 'scheduler-estimator'),
    estimatorClient: {
      volume: isOwn ? 'estimator-client' : 'karmada-certs',
      secret: instanceName(input.name, isOwn ? SECRET_SUFFIX.estimatorClient : SECRET_SUFFIX.cert),
      keys: ['ca.crt', certificate, key],
      certFile: `${PKI_DIRECTORY}/${certificate}`,
      keyFile: `${PKI_DIRECTORY}/${key}`,
    },
  };
}
