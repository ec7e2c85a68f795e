/** Makes a fault, and measures when Kubernetes reports it and when the status of the control plane names it. */
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { tryKubectl, type Cluster } from '../../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { getObject } from '../cluster.ts';
import { saysReady } from '../is-ready.ts';
import type { Fault } from './fault.ts';
import { createFault } from './make-fault.ts';
import { NAME, namedCondition, namespaceOf } from './named-fault.ts';

/** Deadline of the expected condition, which includes an installation up to the fault, while others are installed. */
const DEADLINE_MS = 480_000;

export interface Observation {
  /** The expected condition; undefined if it did not appear in time. */
  readonly condition?: Condition | undefined;
  /** Last conditions, or the error of the test, for the report of a failure. */
  readonly seen: string;
  /** Milliseconds from the report of Kubernetes to the name in the status; undefined if one of them is missing. */
  readonly namedAfterMs?: number | undefined;
  /** Whether `Ready` was True between the report and the name. */
  readonly wasReady: boolean;
}

/** Events of the Namespace, and the status of its Pods, as text. */
async function reports(cluster: Cluster, namespace: string): Promise<string> {
  const fields = [
    'get',
    'events,pods',
    '-n',
    namespace,
    '-o',
    'jsonpath={range .items[*]}{.reason} {.message} {.status}{"\\n"}{end}',
  ];
  return (await tryKubectl(cluster, fields)).stdout;
}

/** Makes the fault and observes its control plane until the status names it. Removes nothing. Never throws. */
export async function observeFault(cluster: Cluster, fault: Fault): Promise<Observation> {
  try {
    await createFault(cluster, fault);
    return await untilNamed(cluster, fault);
  } catch (error) {
    return { seen: String(error), wasReady: false };
  }
}

async function untilNamed(
  cluster: Cluster,
  { evidence, named, ...fault }: Fault,
): Promise<Observation> {
  const namespace = namespaceOf(fault);
  const isReported = async (): Promise<boolean> =>
    evidence === undefined || evidence.test(await reports(cluster, namespace));
  let reportedAt = (await isReported()) ? Date.now() : undefined;
  let [seen, wasReady] = ['', false];
  const found = await poll(
    `${namespace}: ${named.type} has the reason ${named.reason}`,
    async (note) => {
      reportedAt ??= (await isReported()) ? Date.now() : undefined;
      const karmada = await getObject<Karmada>(cluster, 'karmada', NAME, namespace);
      const conditions = karmada.status?.conditions ?? [];
      const condition = namedCondition(conditions, named);
      // A control plane that was Ready before a fault stays so until something shows the fault.
      const counts = fault.later === undefined || condition !== undefined;
      wasReady ||= counts && saysReady(karmada);
      seen = JSON.stringify(conditions);
      note(seen);
      return condition;
    },
    { deadlineMs: DEADLINE_MS, intervalMs: 500 },
  ).catch(() => undefined);
  const namedAt = Date.now();
  // The operator may name a fault before Kubernetes reports it. A report that never comes is an error of the test.
  if (found !== undefined && reportedAt === undefined)
    reportedAt = await poll(`${namespace}: report of Kubernetes`, async () =>
      (await isReported()) ? namedAt : undefined,
    ).catch(() => undefined);
  const namedAfterMs =
    found === undefined || reportedAt === undefined ? undefined : namedAt - reportedAt;
  return { condition: found, seen, namedAfterMs, wasReady };
}
