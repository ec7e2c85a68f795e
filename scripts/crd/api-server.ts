/** Schema of `spec.components.karmadaAPIServer`, the component to whose pods users add the most. */
import { annotations } from './kubernetes/claims.ts';
import { lay, type Overlay } from './kubernetes/overlay.ts';
import { QUALIFIED_PATTERN } from './kubernetes/patterns.ts';
import { kubernetes } from './kubernetes/types.ts';
import { ratcheting } from './ratchet.ts';
import type { Rule, Schema } from './schema.ts';
import { list, stringMap, text } from './schema.ts';
import { component, extraArgs, kubernetesGates, subjectAltNames } from './settings.ts';
import { EXTERNAL_ENDPOINT, SERVICE_SUBNET } from './syntax.ts';

/** What `src/components/karmada-apiserver` has in its pod already; a unit test compares the two. */
export const OWN_CONTAINER = 'kube-apiserver';
export const OWN_VOLUMES = ['apiserver-cert', 'etcd-client-cert', 'karmada-service-account-key'];
export const OWN_MOUNT_PATHS = [
  '/etc/karmada/pki',
  '/etc/karmada/pki/etcd-client',
  '/etc/karmada/service-account',
];

const quoted = (values: readonly string[]): string => `[${values.map((v) => `'${v}'`).join(', ')}]`;
const OWN = quoted(OWN_VOLUMES);

/** Every entry has a value of its own in a field that it must have. */
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
      `every volume needs a name of its own, and not one of ${OWN_VOLUMES.join(', ')}`,
    ),
  ],
};

const MOUNTS: Overlay = {
  maxItems: 64,
  // The main container is not privileged.
  items: { fields: { mountPropagation: { enum: ['None', 'HostToContainer'] } } },
  rules: [
    each(
      'mountPath',
      OWN_MOUNT_PATHS,
      `every mountPath can be mounted once, and not ${OWN_MOUNT_PATHS.join(', ')}`,
    ),
  ],
};

/** A port of the node that two containers would want. */
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
      `every container needs a name of its own, and not ${OWN_CONTAINER}`,
    ),
    { rule: HOST_PORTS, message: 'two containers want the same hostPort' },
  ],
};

/** Whether the pod has no volume of that name, or none that a condition holds for. */
function lacks(root: string, name: string, condition?: string): string {
  const wanted = condition === undefined ? '' : ` && ${condition}`;
  const added = `(has(${root}.extraVolumes) && ${root}.extraVolumes.exists(v, v.name == ${name}${wanted}))`;
  return condition === undefined ? `!(${name} in ${OWN}) && !${added}` : `!${added}`;
}

/** Whether an entry of a list, which may be absent, breaks a rule. */
function some(list: string, condition: string): string {
  return `has(${list}) && ${list}.exists(x, ${condition})`;
}

const VOLUME_RULES: readonly Rule[] = [
  ratcheting(
    (root) => some(`${root}.extraVolumeMounts`, lacks(root, 'x.name')),
    `extraVolumeMounts: every name is that of an entry of extraVolumes, or one of ${OWN_VOLUMES.join(', ')}`,
  ),
  ratcheting(
    (root) =>
      some(
        `${root}.sidecarContainers`,
        `has(x.volumeMounts) && x.volumeMounts.exists(m, ${lacks(root, 'm.name')})`,
      ),
    `sidecarContainers: the name of every volumeMount is that of an entry of extraVolumes, or one of ${OWN_VOLUMES.join(', ')}`,
  ),
  ratcheting(
    (root) =>
      some(
        `${root}.sidecarContainers`,
        `has(x.volumeDevices) && x.volumeDevices.exists(d, ${lacks(root, 'd.name', '(has(v.persistentVolumeClaim) || has(v.ephemeral))')})`,
      ),
    'sidecarContainers: the name of every volumeDevice is that of an entry of extraVolumes with a persistentVolumeClaim or an ephemeral volume',
  ),
  ratcheting(
    (root) =>
      some(
        `${root}.sidecarContainers`,
        `has(x.env) && x.env.exists(e, has(e.valueFrom) && has(e.valueFrom.fileKeyRef) && ${lacks(root, 'e.valueFrom.fileKeyRef.volumeName', 'has(v.emptyDir)')})`,
      ),
    'sidecarContainers: the volumeName of every fileKeyRef is that of an entry of extraVolumes with an emptyDir',
  ),
];

const BALANCED = (root: string): string =>
  `(has(${root}.serviceType) && ${root}.serviceType == 'LoadBalancer')`;
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

const SERVICE_RULES: readonly Rule[] = [
  ratcheting(
    (root) =>
      `${BALANCED(root)} && has(${root}.loadBalancerClass) && ${root}.loadBalancerClass != '' && !${root}.loadBalancerClass.matches(r'${QUALIFIED_PATTERN}')`,
    'loadBalancerClass must be a name of letters, digits, "-", "_" and ".", optionally after a DNS name and "/"',
  ),
  ratcheting(
    (root) =>
      `!${BALANCED(root)} && has(${root}.serviceAnnotations) && '${RANGES}' in ${root}.serviceAnnotations`,
    `serviceAnnotations: ${RANGES} goes with serviceType LoadBalancer only`,
  ),
];

/** Two annotations that Kubernetes itself reads. */
const SERVICE_ANNOTATIONS: Overlay = {
  ...annotations(),
  rules: [
    ...(annotations().rules ?? []),
    {
      rule: "!('service.kubernetes.io/topology-mode' in self) || !('service.kubernetes.io/topology-aware-hints' in self) || self['service.kubernetes.io/topology-mode'] == self['service.kubernetes.io/topology-aware-hints']",
      message: 'topology-mode and topology-aware-hints must be the same; keep topology-mode',
    },
  ],
};

const plain: Schema = component(
  'The kube-apiserver of the control plane.',
  'karmada-apiserver',
  {
    serviceSubnet: lay(
      text('Range of the cluster IPs inside the control plane. Default: 10.96.0.0/12.'),
      SERVICE_SUBNET,
    ),
    serviceType: text('Type of its Service.', {
      default: 'ClusterIP',
      enum: ['ClusterIP', 'NodePort', 'LoadBalancer'],
    }),
    loadBalancerClass: text(
      'Class of the load balancer, such as internal-vip or example.com/internal-vip. Only with type LoadBalancer.',
      { maxLength: 317 },
    ),
    externalEndpoint: lay(
      text(
        'Name or address, optionally with a port, by which its users reach it, such as that of an ingress which passes TLS on. It goes into the serving certificate, the kubeconfig of the administrator and the information for clusters that register. Default port: 443. Default endpoint: that of its Service.',
      ),
      EXTERNAL_ENDPOINT,
    ),
    serviceAnnotations: lay(stringMap('Annotations of its Service.'), SERVICE_ANNOTATIONS),
    extraArgs,
    extraVolumes: lay(list('Volumes added to its pods.', kubernetes.Volume), VOLUMES),
    extraVolumeMounts: lay(
      list('Mounts added to its main container.', kubernetes.VolumeMount),
      MOUNTS,
    ),
    certSANs: subjectAltNames('its serving certificate'),
    featureGates: kubernetesGates('kube-apiserver'),
    sidecarContainers: lay(list('Containers added to its pods.', kubernetes.Container), SIDECARS),
  },
  { fewest: 1 },
);

export const karmadaAPIServer = lay(plain, { rules: [...VOLUME_RULES, ...SERVICE_RULES] });
