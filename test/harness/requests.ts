import {
  isReview,
  parseAuditLine,
  readAudit,
  type AuditEvent,
} from '../../tools/embedded-cluster/audit.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { instanceName } from '../../src/api/naming.ts';
import { operatorNamespace } from '../demo/install.ts';

const operatorUser = `system:serviceaccount:${operatorNamespace}:karmada-operator`;
const writing: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);

/** ConfigMap with an audit policy, and the karmada-apiserver settings that write the audit log to standard output. */
export const auditPolicy = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'audit-policy' },
  data: {
    'policy.yaml': JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata', users: ['system:admin'] }, { level: 'None' }],
    }),
  },
};

export const auditedApiServer = {
  extraArgs: { 'audit-log-path': '-', 'audit-policy-file': '/etc/karmada/audit/policy.yaml' },
  extraVolumes: [{ name: 'audit', configMap: { name: auditPolicy.metadata.name } }],
  extraVolumeMounts: [{ name: 'audit', mountPath: '/etc/karmada/audit', readOnly: true }],
};

/** Requests of the operator to the host cluster since a time (milliseconds since the epoch). */
export async function hostRequests(cluster: Cluster, since: number): Promise<AuditEvent[]> {
  const events = await readAudit(cluster.name, since);
  return events.filter(({ user }) => user === operatorUser);
}

/** Requests of the operator to a control plane whose API server has `auditedApiServer`. */
export async function insideRequests(
  cluster: Cluster,
  instance: { name: string; namespace: string },
  since: number,
): Promise<AuditEvent[]> {
  const target = `deployment/${instanceName(instance.name, 'apiserver')}`;
  const log = await kubectl(cluster, ['logs', target, '-n', instance.namespace]);
  return log
    .split('\n')
    .flatMap((line) => parseAuditLine(line) ?? [])
    .filter(({ agent, at }) => agent.startsWith('karmada-operator/') && at >= since);
}

const isLease = ({ resource }: AuditEvent): boolean => resource.startsWith('leases.');
const isEvent = ({ resource }: AuditEvent): boolean => /^events\b/.test(resource);
const isStatus = ({ resource }: AuditEvent): boolean => resource.endsWith('/status');

const succeeded = ({ code }: AuditEvent): boolean => code < 400;

/** Write requests, without leases, dry runs and access reviews. */
export function writesOf(events: readonly AuditEvent[]): AuditEvent[] {
  const kept = events.filter((event) => !isLease(event) && !isReview(event) && !event.dryRun);
  return kept.filter(({ verb }) => writing.has(verb));
}

/** Successful writes by type: objects, statuses, Events. */
export function sortedWrites(
  events: readonly AuditEvent[],
): Record<'objects' | 'statuses' | 'events', AuditEvent[]> {
  const writes = writesOf(events).filter(succeeded);
  return {
    objects: writes.filter((event) => !isEvent(event) && !isStatus(event)),
    statuses: writes.filter(isStatus),
    events: writes.filter(isEvent),
  };
}

/** Number of requests per object, for example `3 patch deployments.apps team/demo`, the most frequent first. */
export function tally(events: readonly AuditEvent[]): string[] {
  const counts = new Map<string, number>();
  for (const { verb, resource, namespace, name } of events) {
    const what = `${verb} ${resource} ${namespace ?? ''}/${name ?? ''}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${count} ${what}`);
}
