/**
 * Checks Pods against the restricted Pod Security Standard, for clusters without Pod Security Admission. Pure functions.
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node';
import type { Container, PodSpec } from './workload.ts';

/** Which Pods of control planes the operator creates. `Restricted`: they meet the standard. `Any`: the cluster decides. */
export const TENANT_PODS = ['Restricted', 'Any'] as const;
export type TenantPods = (typeof TENANT_PODS)[number];

/** Volume types that the standard allows. */
const VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const SAFE_SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

const SELINUX_TYPES: ReadonlySet<string> = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);

/**
 * What a Pod has that the standard does not allow, as clauses with the field; empty if it meets the standard.
 * @param annotations of the Pod
 */
export function restrictedViolations(
  pod: PodSpec,
  annotations: Readonly<Record<string, string>> = {},
): readonly string[] {
  const context = pod.securityContext ?? {};
  return [
    ...annotationViolations(annotations),
    ...namespaceViolations(pod),
    ...volumeViolations(pod),
    ...commonViolations('securityContext', context),
    ...(context.sysctls ?? [])
      .filter(({ name }) => !SAFE_SYSCTLS.has(name))
      .map(({ name }) => `securityContext.sysctls: ${name} is not allowed`),
    ...containersOf(pod).flatMap(([place, container]) =>
      containerViolations(place, container, context),
    ),
  ];
}

/** Annotation that chose the AppArmor profile of a container before Kubernetes 1.30, and still does. */
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const annotationViolations = (annotations: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(APPARMOR) && !isAppArmorProfile(value))
    .map(([key]) => `metadata.annotations: ${key} must be runtime/default or localhost/PROFILE`);

const isAppArmorProfile = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

function namespaceViolations(pod: PodSpec): readonly string[] {
  return ['hostNetwork', 'hostPID', 'hostIPC']
    .filter((field) => pod[field] === true)
    .map((field) => `${field} must not be true`);
}

function volumeViolations({ volumes = [] }: PodSpec): readonly string[] {
  return volumes.flatMap(({ name, ...source }) =>
    Object.entries(source)
      .filter(([type, value]) => value !== undefined && !VOLUMES.has(type))
      .map(([type]) => `volumes[${JSON.stringify(name)}]: ${type} is not allowed`),
  );
}

function containersOf(pod: PodSpec): readonly (readonly [string, Container])[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (pod[list] ?? []).map(
      (container) => [`${list}[${JSON.stringify(container.name)}]`, container] as const,
    ),
  );
}

function containerViolations(
  place: string,
  container: Container,
  pod: V1PodSecurityContext,
): readonly string[] {
  const context = container.securityContext ?? {};
  const at = `${place}.securityContext`;
  return [
    ...commonViolations(at, context),
    ...(context.privileged === true ? [`${at}.privileged must not be true`] : []),
    ...(context.allowPrivilegeEscalation === false
      ? []
      : [`${at}.allowPrivilegeEscalation must be false`]),
    ...((context.runAsNonRoot ?? pod.runAsNonRoot) === true
      ? []
      : [`${at}.runAsNonRoot must be true`]),
    ...((context.seccompProfile ?? pod.seccompProfile) === undefined
      ? [`${at}.seccompProfile.type must be RuntimeDefault or Localhost`]
      : []),
    ...([undefined, 'Default'].includes(context.procMount)
      ? []
      : [`${at}.procMount must be Default`]),
    ...capabilityViolations(at, context),
    ...hostViolations(place, container),
  ];
}

/** Fields of Pods and containers, and what the standard does not allow. */
const FORBIDDEN: readonly (readonly [
  text: string,
  isThere: (context: V1PodSecurityContext | V1SecurityContext) => boolean,
])[] = [
  ['runAsNonRoot must not be false', ({ runAsNonRoot }) => runAsNonRoot === false],
  ['runAsUser must not be 0', ({ runAsUser }) => runAsUser === 0],
  ['seccompProfile must not be Unconfined', (context) => isUnconfined(context.seccompProfile)],
  ['appArmorProfile must not be Unconfined', (context) => isUnconfined(context.appArmorProfile)],
  ['seLinuxOptions is not allowed', ({ seLinuxOptions }) => !isAllowedSELinux(seLinuxOptions)],
  [
    'windowsOptions.hostProcess must not be true',
    ({ windowsOptions }) => windowsOptions?.hostProcess === true,
  ],
];

const isUnconfined = (profile: { readonly type: string } | undefined): boolean =>
  profile?.type === 'Unconfined';

const isAllowedSELinux = ({
  type = '',
  user,
  role,
}: NonNullable<V1SecurityContext['seLinuxOptions']> = {}): boolean =>
  SELINUX_TYPES.has(type) && !user && !role;

const commonViolations = (
  at: string,
  context: V1PodSecurityContext | V1SecurityContext,
): readonly string[] =>
  FORBIDDEN.filter(([, isThere]) => isThere(context)).map(([text]) => `${at}.${text}`);

function capabilityViolations(at: string, { capabilities }: V1SecurityContext): readonly string[] {
  const { add = [], drop = [] } = capabilities ?? {};
  return [
    ...(drop.includes('ALL') ? [] : [`${at}.capabilities.drop must include ALL`]),
    ...add
      .filter((name) => name !== 'NET_BIND_SERVICE')
      .map((name) => `${at}.capabilities.add: ${name} is not allowed`),
  ];
}

/** Ports of the node, and probes of other addresses than that of the Pod. */
function hostViolations(place: string, container: Container): readonly string[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const ports = container.ports ?? [];
  const probes = [livenessProbe, readinessProbe, startupProbe];
  const handlers = [...probes, lifecycle?.postStart, lifecycle?.preStop];
  const hosts = handlers.flatMap((one) => [one?.httpGet?.host, one?.tcpSocket?.host]);
  return [
    ...(ports.some(({ hostPort = 0 }) => hostPort !== 0)
      ? [`${place}.ports: hostPort is not allowed`]
      : []),
    ...(hosts.some((host) => host !== undefined && host !== '')
      ? [`${place}: probes and lifecycle hooks must not name a host`]
      : []),
  ];
}
