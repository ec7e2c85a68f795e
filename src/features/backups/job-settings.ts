/**
 * Applies `spec.podSettings` of a Karmada to a Pod of its backups: pure. The Pod keeps its restricted security context, whatever
 * the settings are: of both security contexts it gets only the user and groups, which some clusters prescribe. It gets no
 * variables, because those of components, such as proxies, could redirect its programs.
 */
import type { V1PodSecurityContext } from '@kubernetes/client-node';
import { BACKUPS, podFieldsOf } from '../../api/defaults/pod-settings.ts';
import type { PodSettings } from '../../api/karmada.ts';
import type { PodFields } from '../../api/settings.ts';
import { NON_ROOT_USER } from '../../components/values.ts';
import type { Container, PodSpec } from '../../components/workload.ts';

const PLACEMENT = [
  'tolerations',
  'affinity',
  'priorityClassName',
  'runtimeClassName',
  'hostAliases',
  'dnsConfig',
] as const;

/** User and group of the Pods of backups without other settings. */
export const DEFAULT_USER = {
  runAsNonRoot: true,
  runAsUser: NON_ROOT_USER,
  runAsGroup: NON_ROOT_USER,
} as const;

/**
 * Returns the user that owns the files of backups in a volume. Only this user can read them: root without capabilities, as
 * which the etcd of the Go operator runs, cannot.
 * @returns with `groups` those that the Pod needs besides its own
 */
export function jobUser(podSettings: readonly PodSettings[] | undefined): {
  readonly user: object;
  readonly groups: readonly number[];
} {
  const {
    fsGroup,
    supplementalGroups = [],
    ...user
  } = identityOf(podFieldsOf(podSettings, BACKUPS));
  return {
    user: { ...DEFAULT_USER, ...user },
    groups: [...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups],
  };
}

/** Returns the spec of a Pod with the settings that select backups. */
export function withJobSettings(
  spec: PodSpec,
  podSettings: readonly PodSettings[] | undefined,
): PodSpec {
  const fields = podFieldsOf(podSettings, BACKUPS);
  const { initContainers } = spec;
  const sized = (containers: readonly Container[]): readonly Container[] =>
    containers.map((container) => withResources(container, fields));
  return {
    ...spec,
    nodeSelector: { ...spec.nodeSelector, ...fields.nodeSelector },
    ...Object.fromEntries(
      PLACEMENT.filter((name) => isSet(fields[name])).map((name) => [name, fields[name]]),
    ),
    securityContext: { ...spec.securityContext, ...identityOf(fields) },
    ...(initContainers && { initContainers: sized(initContainers) }),
    containers: sized(spec.containers),
  };
}

/** An empty value selects the default. */
const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

const withResources = (container: Container, { resources = {} }: PodFields): Container =>
  Object.keys(resources).length > 0 ? { ...container, resources } : container;

/** User and groups. No Pod of a backup runs as root. */
function identityOf({
  securityContext = {},
  podSecurityContext = {},
}: PodFields): Pick<
  V1PodSecurityContext,
  'runAsUser' | 'runAsGroup' | 'fsGroup' | 'supplementalGroups'
> {
  const { runAsUser = 0, runAsGroup } = securityContext;
  const { fsGroup, supplementalGroups } = podSecurityContext;
  return {
    ...(runAsUser > 0 && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(fsGroup !== undefined && { fsGroup }),
    ...(supplementalGroups && { supplementalGroups }),
  };
}
