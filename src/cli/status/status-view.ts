/** The state of a control plane as `status -o json` prints it. Pure functions. */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import { CATALOG } from '../../api/component-catalog.ts';
import type { EtcdClusterStatus } from '../../api/karmada.ts';
import type { Condition, UpgradeStatus, Versions } from '../../api/karmada.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { MemberClustersStatus } from '../../api/member-clusters-status.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { daysUntil } from '../program/text.ts';
import { findProblems, type StatusProblem } from './problems.ts';
import type { StatusFacts } from './read-status.ts';

/** Ready and desired Pods of a Deployment or StatefulSet. */
interface WorkloadView {
  readonly name: string;
  readonly ready: number;
  readonly desired: number;
  /** Pods with the latest template. */
  readonly updated: number;
  /** Restarts of all containers. */
  readonly restarts: number;
  /** Tag or digest of the image. */
  readonly version: string;
}

export interface ComponentView {
  readonly name: string;
  /** Status, reason and message of its condition; absent before the first reconcile. */
  readonly status?: Condition['status'];
  readonly reason?: string;
  readonly message?: string;
  readonly workloads: readonly WorkloadView[];
}

interface CertificateView {
  readonly name: string;
  readonly notAfter: string;
  readonly daysLeft: number;
}

export interface StatusView {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /** RFC 3339; absent in manifests. */
  readonly created?: string;
  readonly ready: { readonly status: Condition['status']; readonly reason: string };
  /** Whether the status describes the latest spec. */
  readonly observed: boolean;
  readonly versions: Versions;
  readonly hostCluster: { readonly secret?: string; readonly apiServerService?: string };
  readonly components: readonly ComponentView[];
  readonly etcd: { readonly summary: string; readonly cluster?: EtcdClusterStatus };
  readonly certificates: {
    /** The certificate that expires first. The name is absent without permission to read the Secrets. */
    readonly first?: Omit<CertificateView, 'name'> & { readonly name?: string };
    readonly count?: number;
  };
  /** As last observed; absent before the first observation. */
  readonly memberClusters?: MemberClustersStatus;
  readonly upgrade?: UpgradeStatus;
  readonly problems: readonly StatusProblem[];
  readonly notes: readonly string[];
}

/** Builds the view. @param now milliseconds since 1970 */
export function statusView(facts: StatusFacts, now: number): StatusView {
  const { karmada, notes } = facts;
  const { status = {}, metadata } = karmada;
  const { conditions = [], phase = 'Pending', versions = {}, upgrade } = status;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    phase,
    ...optionalField('created', metadata.creationTimestamp),
    ready: readyView(conditions),
    observed: status.observedGeneration === metadata.generation,
    versions,
    hostCluster: {
      ...optionalField('secret', status.hostSecret),
      ...optionalField('apiServerService', status.apiServerService?.name),
    },
    components: componentViews(facts, conditions),
    etcd: { summary: status.etcd ?? '', ...optionalField('cluster', status.etcdCluster) },
    ...optionalField('memberClusters', status.memberClusters),
    certificates: certificatesView(facts, now),
    ...optionalField('upgrade', upgrade),
    problems: findProblems(conditions),
    notes,
  };
}

function readyView(conditions: readonly Condition[]): StatusView['ready'] {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined
    ? { status: 'Unknown', reason: '' }
    : { status: ready.status, reason: ready.reason };
}

function certificatesView(
  { certificates, karmada }: StatusFacts,
  now: number,
): StatusView['certificates'] {
  const first = certificates?.[0];
  const notAfter = first?.notAfter ?? karmada.status?.certificateExpiry;
  return {
    ...(certificates !== undefined && { count: certificates.length }),
    ...(notAfter !== undefined && {
      first: {
        ...(first !== undefined && { name: first.name }),
        notAfter,
        daysLeft: daysUntil(Date.parse(notAfter), now),
      },
    }),
  };
}

function componentViews(
  { workloads, pods }: StatusFacts,
  conditions: readonly Condition[],
): readonly ComponentView[] {
  return CATALOG.flatMap(({ name, condition: type }) => {
    const own = workloads.filter(({ metadata }) => metadata.labels?.[COMPONENT] === name);
    const condition = conditions.find((item) => item.type === type);
    if (own.length === 0 && condition === undefined) return [];
    const { status, reason, message }: Partial<Condition> = condition ?? {};
    return [
      {
        name,
        ...optionalField('status', status),
        ...optionalField('reason', reason),
        ...optionalField('message', message),
        workloads: own.map((workload) => workloadView(workload, pods)),
      },
    ];
  });
}

interface PodTemplate {
  readonly spec?: { readonly containers?: readonly { image?: string }[] };
}

function workloadView(workload: Replicated, pods: readonly Pod[]): WorkloadView {
  const { spec = {}, status = {} } = workload;
  const { replicas: desired = 1, template, selector } = spec;
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0 } = status;
  const labels = Object.entries(selector?.matchLabels ?? {});
  const own = pods.filter(({ metadata }) =>
    labels.every(([key, value]) => metadata.labels?.[key] === value),
  );
  const restarts = own.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const { name } = workload.metadata;
  return { name, ready, desired, updated, restarts, version: imageVersion(imageOf(template)) };
}

const imageOf = (template: PodTemplate | undefined): string =>
  template?.spec?.containers?.[0]?.image ?? '';

function restartsOf(pod: Pod): number {
  const { containerStatuses = [] } = pod.status ?? {};
  return containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** Tag of an image, or the start of its digest if it has no tag. */
export function imageVersion(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  const [tagged = '', digest] = name.split('@');
  const colon = tagged.indexOf(':');
  return colon < 0 ? (digest ?? '').slice(0, 19) : tagged.slice(colon + 1);
}
