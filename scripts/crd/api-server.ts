/** Schema of `spec.components.karmadaAPIServer`, the component with the most Pod customization. */
import { annotations } from './kubernetes/claims.ts';
import { lay, type Overlay } from './kubernetes/overlay.ts';
import { QUALIFIED_PATTERN } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
import { ratcheting } from './ratchet.ts';
import type { Rule, Schema } from './schema.ts';
import { list, SHOWN, stringMap, text } from './schema.ts';
import { component, extraArgs, kubernetesGates, subjectAltNames } from './settings.ts';
import { EXTERNAL_ENDPOINT, SERVICE_SUBNET } from './syntax.ts';
import { RESTARTS } from './texts.ts';

/** Names that the Pod template in `src/components/karmada-apiserver` already uses; a unit test compares both. */
export const OWN_CONTAINER = 'kube-apiserver';
export const OWN_VOLUMES = ['apiserver-cert', 'etcd-client-cert', 'karmada-service-account-key'];
export const OWN_MOUNT_PATHS = [
  '/etc/karmada/pki',
  '/etc/karmada/pki/etcd-client',
  '/etc/karmada/service-account',
];

const quoted = (values: readonly string[]): string => `[${values.map((v) => `'${v}'`).join(', ')}]`;
const OWN = quoted(OWN_VOLUMES);

/** Rule: the required field is unique in the list, and its value is not one of `taken`. */
function each(field: string, taken: readonly string[], message: string): Rule {
  return {
    rule: `self.all(x, !(x.${field} in ${quoted(taken)}) && self.exists_one(y, y.${field} == x.${field}))`,
    message,
  };
}

const VOLUMES: Overlay = {
  maxItems: 64,
  items: { fields: { name: { maxLength: 63 } } },
  rules: [
    each(
      'name',
      OWN_VOLUMES,
      `volume names must be unique, and must not be ${OWN_VOLUMES.join(', ')}`,
    ),
  ],
};

const MOUNTS: Overlay = {
  maxItems: 64,
  // Kubernetes allows Bidirectional only for privileged containers, and the main container is not.
  items: { fields: { mountPropagation: { enum: ['None', 'HostToContainer'] } } },
  rules: [
    each(
      'mountPath',
      OWN_MOUNT_PATHS,
      `mountPaths must be unique, and must not be ${OWN_MOUNT_PATHS.join(', ')}`,
    ),
  ],
};

/** CEL: no two containers use the same port of the node. */
const HOST_PORTS =
  'self.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0 || self.exists_one(d, has(d.ports) && d.ports.exists_one(q, has(q.hostPort) && q.hostPort == p.hostPort && q.protocol == p.protocol && (has(q.hostIP) ? has(p.hostIP) && q.hostIP == p.hostIP : !has(p.hostIP))))))';

const SIDECARS: Overlay = {
  maxItems: 10,
  items: {
    fields: {
      name: { maxLength: 63 },
      ports: { items: { fields: { hostIP: { minLength: 1, maxLength: 64 } } } },
    },
  },
  rules: [
    each(
      'name',
      [OWN_CONTAINER],
      `container names must be unique, and must not be ${OWN_CONTAINER}`,
    ),
    { rule: HOST_PORTS, message: 'two containers use the same hostPort' },
  ],
};

/** CEL: the Pod has no volume of that name, or no added volume of that name that meets a condition. */
function lacks(root: string, name: string, condition?: string): string {
  const matching = condition === undefined ? '' : ` && ${condition}`;
  const added = `(has(${root}.extraVolumes) && ${root}.extraVolumes.exists(v, v.name == ${name}${matching}))`;
  return condition === undefined ? `!(${name} in ${OWN}) && !${added}` : `!${added}`;
}

/** CEL: a list, which may be absent, has an entry that meets a condition. */
function some(list: string, condition: string): string {
  return `has(${list}) && ${list}.exists(x, ${condition})`;
}

const VOLUME_RULES: readonly Rule[] = [
  ratcheting(
    (root) => some(`${root}.extraVolumeMounts`, lacks(root, 'x.name')),
    `extraVolumeMounts: each name must be that of an entry of extraVolumes, or one of ${OWN_VOLUMES.join(', ')}`,
  ),
  ratcheting(
    (root) =>
      some(
        `${root}.sidecarContainers`,
        `has(x.volumeMounts) && x.volumeMounts.exists(m, ${lacks(root, 'm.name')})`,
      ),
    `sidecarContainers: each volumeMount name must be that of an entry of extraVolumes, or one of ${OWN_VOLUMES.join(', ')}`,
  ),
  ratcheting(
    (root) =>
      some(
        `${root}.sidecarContainers`,
        `has(x.volumeDevices) && x.volumeDevices.exists(d, ${lacks(root, 'd.name', '(has(v.persistentVolumeClaim) || has(v.ephemeral))')})`,
      ),
    'sidecarContainers: each volumeDevice name must be that of an entry of extraVolumes with persistentVolumeClaim or ephemeral',
  ),
  ratcheting(
    (root) =>
      some(
        `${root}.sidecarContainers`,
        `has(x.env) && x.env.exists(e, has(e.valueFrom) && has(e.valueFrom.fileKeyRef) && ${lacks(root, 'e.valueFrom.fileKeyRef.volumeName', 'has(v.emptyDir)')})`,
      ),
    'sidecarContainers: each fileKeyRef volumeName must be that of an entry of extraVolumes with emptyDir',
  ),
];

const BALANCED = (root: string): string =>
  `(has(${root}.serviceType) && ${root}.serviceType == 'LoadBalancer')`;
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

const SERVICE_RULES: readonly Rule[] = [
  ratcheting(
    (root) =>
      `${BALANCED(root)} && has(${root}.loadBalancerClass) && ${root}.loadBalancerClass != '' && !${root}.loadBalancerClass.matches(r'${QUALIFIED_PATTERN}')`,
    'loadBalancerClass must be a name of letters, digits, "-", "_" and ".", optionally with a DNS prefix and "/"',
  ),
  ratcheting(
    (root) =>
      `!${BALANCED(root)} && has(${root}.serviceAnnotations) && '${RANGES}' in ${root}.serviceAnnotations`,
    `serviceAnnotations: ${RANGES} is allowed only with serviceType LoadBalancer`,
  ),
];

/** Service annotations, with a rule for two that Kubernetes requires to be equal. */
const SERVICE_ANNOTATIONS: Overlay = {
  ...annotations(),
  rules: [
    ...(annotations().rules ?? []),
    {
      rule: "!('service.kubernetes.io/topology-mode' in self) || !('service.kubernetes.io/topology-aware-hints' in self) || self['service.kubernetes.io/topology-mode'] == self['service.kubernetes.io/topology-aware-hints']",
      message: 'topology-mode and topology-aware-hints must be equal; keep only topology-mode',
    },
  ],
};

const plain: Schema = component(
  'kube-apiserver of the control plane.',
  'karmada-apiserver',
  {
    serviceSubnet: lay(
      text(
        'Cluster IP range of Services inside the control plane. Defaults to 10.96.0.0/12, or fd00:10:96::/112 on an IPv6 host. Choose it before the installation: Services that exist keep their addresses.',
      ),
      SERVICE_SUBNET,
    ),
    serviceType: text(
      'Type of the API server Service: ClusterIP for clients in the host cluster, NodePort, or LoadBalancer. The address in the certificate and the kubeconfig follows it. A change restarts no Pod.',
      {
        default: 'ClusterIP',
        enum: ['ClusterIP', 'NodePort', 'LoadBalancer'],
      },
    ),
    loadBalancerClass: text(
      'Class of the load balancer, such as internal-vip or example.com/internal-vip. Only for serviceType LoadBalancer. Defaults to that of the host cluster. Immutable while the Service has this type.',
      { maxLength: 317, ...SHOWN },
    ),
    externalEndpoint: lay(
      text(
        'External DNS name or IP address of the API server, optionally with a port, such as an Ingress with TLS passthrough. Added to the serving certificate, the admin kubeconfig and the cluster registration data. Defaults to the API server Service, and its port to 443 (LoadBalancer: 5443). A change restarts no Pod.',
      ),
      EXTERNAL_ENDPOINT,
    ),
    ipFamilyPolicy: text(
      'IP families of the API server Service. Defaults to those of the host cluster.',
      {
        enum: ['SingleStack', 'PreferDualStack', 'RequireDualStack'],
      },
    ),
    serviceAnnotations: lay(
      stringMap(
        'Annotations of the API server Service, for example for the controller of the load balancer. A change restarts no Pod.',
      ),
      SERVICE_ANNOTATIONS,
    ),
    extraArgs,
    extraVolumes: lay(
      list(
        `Volumes of the Pods, in addition to those of the operator. Mount them with extraVolumeMounts or in sidecarContainers. ${RESTARTS}`,
        kubernetes.Volume,
      ),
      VOLUMES,
    ),
    extraVolumeMounts: lay(
      list(
        `Volume mounts of the main container, in addition to those of the operator. ${RESTARTS}`,
        kubernetes.VolumeMount,
      ),
      MOUNTS,
    ),
    certSANs: subjectAltNames('the serving certificate'),
    featureGates: kubernetesGates,
    sidecarContainers: lay(
      list(
        `Containers in the Pods next to the main container, such as a KMS plugin. They can mount the volumes of the Pods, also those with keys. ${RESTARTS}`,
        kubernetes.Container,
      ),
      SIDECARS,
    ),
  },
  { fewest: 1 },
);

export const karmadaAPIServer = lay(plain, { rules: [...VOLUME_RULES, ...SERVICE_RULES] });
