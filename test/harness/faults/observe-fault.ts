/** Creates a control plane with a fault, and measures when Kubernetes reports the fault and when the status names it. */
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../embedded-cluster/cluster.ts';
import { poll } from '../../embedded-cluster/poll.ts';
import { apply, getObject } from '../cluster.ts';
import { saysReady } from '../is-ready.ts';
import { SMALL, type Fault, type Named } from './fault.ts';

const NAME = 'karmada';
/** Deadline of the expected condition, which includes the installation before the fault. */
const DEADLINE_MS = 300_000;

export interface Observation {
  /** The expected condition; undefined if it did not appear in time. */
  readonly condition: Condition | undefined;
  /** Last conditions, for the report of a failure. */
  readonly seen: string;
  /** Milliseconds from the report of Kubernetes to the name in the status; undefined if one of them is missing. */
  readonly namedAfterMs: number | undefined;
  /** Whether `Ready` was True at any time. */
  readonly wasReady: boolean;
}

const namespaceOf = ({ id }: Pick<Fault, 'id'>): string => `fault-${id}`;

const matches = (text: string, part: RegExp | string): boolean =>
  typeof part === 'string' ? text.includes(part) : part.test(text);

/** Whether a condition has the reason, maybe among others, and names object and action. */
const isNamed = (
  { reason, message = '' }: Pick<Condition, 'reason' | 'message'>,
  named: Named,
): boolean =>
  reason.split(',').includes(named.reason) &&
  matches(message, named.object) &&
  matches(message, named.remedy);

async function create(cluster: Cluster, fault: Fault): Promise<void> {
  const namespace = namespaceOf(fault);
  const { labels, objects, components = SMALL, spec } = fault;
  const metadata = { name: namespace, ...(labels && { labels }) };
  await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata });
  for (const object of (await objects?.(namespace)) ?? [])
    await kubectl(cluster, ['create', '-n', namespace, '-f', '-'], JSON.stringify(object));
  await apply(cluster, {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: NAME, namespace },
    spec: { ...spec, components: { karmadaMetricsAdapter: { replicas: 1 }, ...components } },
  });
}

/** Events of the Namespace, and the status of its Pods, as text. */
async function reports(cluster: Cluster, namespace: string): Promise<string> {
  const fields = [
    ...['get', 'events,pods', '-n', namespace, '-o'],
    'jsonpath={range .items[*]}{.reason} {.message} {.status}{"\\n"}{end}',
  ];
  return (await tryKubectl(cluster, fields)).stdout;
}

/** Creates the fault and observes its control plane until the status names it. Removes nothing. */
export async function observeFault(cluster: Cluster, fault: Fault): Promise<Observation> {
  const namespace = namespaceOf(fault);
  await create(cluster, fault);
  const { evidence, named } = fault;
  let reportedAt = evidence === undefined ? Date.now() : undefined;
  let [seen, wasReady] = ['', false];
  const found = await poll(
    `${namespace}: ${named.type} has the reason ${named.reason}`,
    async (note) => {
      if (evidence !== undefined && reportedAt === undefined)
        reportedAt = evidence.test(await reports(cluster, namespace)) ? Date.now() : undefined;
      const karmada = await getObject<Karmada>(cluster, 'karmada', NAME, namespace);
      const conditions = karmada.status?.conditions ?? [];
      wasReady ||= saysReady(karmada);
      seen = JSON.stringify(conditions);
      note(seen);
      return conditions.find((one) => one.type === named.type && isNamed(one, named));
    },
    { deadlineMs: DEADLINE_MS, intervalMs: 500 },
  ).catch(() => undefined);
  const namedAfterMs =
    found === undefined || reportedAt === undefined ? undefined : Date.now() - reportedAt;
  return { condition: found, seen, namedAfterMs, wasReady };
}

/** Removes the control plane and the objects of the fault. */
export async function removeFault(cluster: Cluster, fault: Fault): Promise<void> {
  const namespace = namespaceOf(fault);
  const clusterScoped = ['validatingwebhookconfiguration,persistentvolume', namespace];
  await tryKubectl(cluster, ['delete', ...clusterScoped, '--ignore-not-found', '--wait=false']);
  await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=90s']);
  await tryKubectl(cluster, [
    'delete',
    'namespace',
    namespace,
    '--ignore-not-found',
    '--timeout=120s',
  ]);
}
