/**
 * The namespace of a control plane in a remote host cluster: pure. Its name is that of the namespace of the Karmada, whose author may
 * not be the owner of a namespace with this name in the host cluster, nor allowed to run privileged Pods there.
 */
import type { Karmada } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { isHostInUse, type HostReference } from './host-reference.ts';

/**
 * Label of a namespace in a host cluster: its owner lets Karmadas of a management cluster use it. The value is the UID of the Namespace
 * kube-system of the management cluster, or `Any`.
 */
export const KARMADAS_LABEL = 'operator.karmada.io/karmadas-of';
const ANY = 'Any';

/** Prefix of the labels of Pod Security Admission. */
const POD_SECURITY_PREFIX = 'pod-security.kubernetes.io/';
/** Label of a Namespace with the level that Pod Security Admission enforces. */
export const ENFORCE = `${POD_SECURITY_PREFIX}enforce`;

/** Levels of the Pod Security Standards. */
export const POD_SECURITY_LEVELS = ['restricted', 'baseline', 'privileged'] as const;
export type PodSecurityLevel = (typeof POD_SECURITY_LEVELS)[number];

/** Pod Security level that a Namespace enforces by its label; undefined without one. The default of the API server is not known. */
export const enforcedLevel = (namespace: KubernetesObject | undefined): string | undefined =>
  namespace?.metadata.labels?.[ENFORCE];

/** Whether the operator reads a label of a Namespace. */
export const isNamespaceLabel = (key: string): boolean =>
  key === KARMADAS_LABEL || key.startsWith(POD_SECURITY_PREFIX);

/** What is known about the management cluster. */
export interface Management {
  /** UID of its Namespace kube-system; undefined if the operator may not read it. */
  readonly uid: string | undefined;
  /** Namespace of the Karmada; undefined if the operator may not read it. */
  readonly namespace: KubernetesObject | undefined;
}

/**
 * Labels of a namespace that the operator creates: those of Pod Security Admission as in the management cluster.
 * @param level for a namespace of the management cluster without a level
 */
export function hostNamespaceLabels(
  { uid = ANY, namespace }: Management,
  level: PodSecurityLevel,
): Readonly<Record<string, string>> {
  const given = Object.entries(namespace?.metadata.labels ?? {}).filter(([key]) =>
    key.startsWith(POD_SECURITY_PREFIX),
  );
  return { [ENFORCE]: level, ...Object.fromEntries(given), [KARMADAS_LABEL]: uid };
}

/**
 * Why the operator may not use an existing namespace of a host cluster; undefined if it may, or if there is none.
 * @param existing the namespace in the host cluster
 * @param server URL of the host cluster
 */
export function namespaceRefusal(
  existing: KubernetesObject | undefined,
  { uid }: Pick<Management, 'uid'>,
  server: string,
): Problem | undefined {
  if (existing === undefined) return undefined;
  const { name, labels = {} } = existing.metadata;
  const value = labels[KARMADAS_LABEL];
  if (value === ANY || (uid !== undefined && value === uid)) return undefined;
  return {
    reason: 'HostNamespaceNotGranted',
    message: `Namespace ${name} exists in the host cluster ${server}, and its label ${KARMADAS_LABEL} does not allow Karmadas of this management cluster; its owner must run kubectl label namespace ${name} ${KARMADAS_LABEL}=${uid ?? ANY} --overwrite there, and should set ${ENFORCE} too`,
  };
}

/**
 * Whether the control plane is in the host cluster already, which the operator reaches with the Secret and the endpoint of before. The UID
 * alone proves nothing: the server of an author of Karmadas can report that of any cluster.
 */
export const isInstalledIn = (
  { status = {} }: Pick<Karmada, 'status'>,
  reference: HostReference,
  hostUID: string | undefined,
): boolean => hostUID !== undefined && status.hostUID === hostUID && isHostInUse(status, reference);
