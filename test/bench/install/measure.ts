import { KARMADAS_LABEL } from '../../../src/host-clusters/host-namespace.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { KIND, type Karmada } from '../../../src/api/karmada.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { controlPlaneOf, startProber } from './control-plane.ts';
import { karmadaOf, workloadNames, type Instance } from './instance.ts';
import { countLoad, type Load } from './machine.ts';
import { contents, watchInstall, watchRemoval, type View } from './observe.ts';
import type { Round } from './probe.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { rolledOut } from './readiness.ts';
import { apply, type Session } from './session.ts';

/** Times after the create call, in milliseconds. */
export interface Install {
  /** Until the operator reported Ready for the generation. */
  readonly saidReadyMs: number;
  /** Until all workloads were rolled out and the control plane passed every check. */
  readonly readyMs: number;
  /** Until each workload was rolled out for the first time. */
  readonly workloadsMs: Readonly<Record<string, number>>;
  /** Results of the control plane checks after that: each change, with its time. */
  readonly rounds: readonly (Round & { readonly atMs: number })[];
  readonly load: Load;
}

/** Times after the delete call, in milliseconds. */
export interface Removal {
  /** Until all objects of the control plane were gone, in the host cluster and next to the Karmada. */
  readonly goneMs: number;
  /** Until the Karmada object was gone, which is when `kubectl delete` returns. */
  readonly returnedMs: number;
  /** Until each object was gone, by `Kind/name`. */
  readonly objectsMs: Readonly<Record<string, number>>;
  readonly load: Load;
}

const installDeadlineMs = 600_000;
const removalDeadlineMs = 300_000;

const label = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.name}`;
const isKarmada = ({ kind }: KubernetesObject): boolean => kind === KIND;

/** Starts a monotonic clock. @returns a function that returns the elapsed milliseconds */
function stopwatch(): () => number {
  const began = performance.now();
  return () => performance.now() - began;
}

/** Records when each workload is rolled out. `missing` returns the workloads that are not. */
function followWorkloads(
  view: View,
  instance: Instance,
  elapsed: () => number,
): { done: Record<string, number>; missing: () => string | undefined } {
  const done: Record<string, number> = {};
  const names = workloadNames(instance);
  const missing = (): string | undefined => {
    const complete = new Set(
      view
        .objects()
        .filter((object) => !isKarmada(object) && rolledOut(object))
        .map(({ metadata }) => metadata.name),
    );
    for (const name of complete) done[name] ??= elapsed();
    const open = names.filter((name) => !complete.has(name));
    return open.length === 0 ? undefined : `not rolled out: ${open.join(', ')}`;
  };
  return { done, missing };
}

/** Resolves with the time at which the operator reports Ready. */
async function saidReady(view: View, elapsed: () => number): Promise<number> {
  await view.until(
    'the operator reports Ready',
    () => {
      const karmada = view.objects().find(isKarmada);
      if (karmada === undefined) return 'no Karmada';
      const known = karmada as unknown as Karmada;
      return saysReady(known) ? undefined : `status: ${JSON.stringify(known.status ?? {})}`;
    },
    installDeadlineMs,
  );
  return elapsed();
}

/** Creates the namespace of the control plane if it is missing. @throws Error if the namespace is not empty */
async function prepareNamespace(session: Session, namespace: string): Promise<void> {
  const { host = session } = session;
  for (const place of new Set([session, host])) {
    const metadata = { name: namespace, labels: { [KARMADAS_LABEL]: 'Any' } };
    await apply(place, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const left = await contents(place, namespace);
    if (left.length > 0) throw new Error(`namespace ${namespace} is not empty: ${left.join(', ')}`);
  }
}

/**
 * Creates a Karmada and waits until the operator reports Ready and the control plane passes all checks.
 * @param session session on the cluster with the operator
 * @param crds names of the required CRDs of the control plane
 * @param settle runs between the preparations and the create call
 */
export async function measureInstall(
  session: Session,
  instance: Instance,
  crds: readonly string[],
  settle: () => Promise<unknown>,
): Promise<Install> {
  await prepareNamespace(session, instance.namespace);
  const view = await watchInstall(session, instance.namespace);
  const { host = session } = session;
  const prober = startProber(host);
  try {
    await settle();
    const load = countLoad(session.clusters);
    const elapsed = stopwatch();
    await session.client.create(karmadaOf(instance));
    const rounds: (Round & { atMs: number })[] = [];
    const workloads = followWorkloads(view, instance, elapsed);
    const ready = async (): Promise<number> => {
      // All conditions must hold at the same time. A workload may have become unready meanwhile.
      do {
        await view.until('the workloads are rolled out', workloads.missing, installDeadlineMs);
        const target = await controlPlaneOf(host, instance, crds);
        await prober.ready(target, installDeadlineMs, (round) => {
          rounds.push({ ...round, atMs: elapsed() });
        });
      } while (workloads.missing() !== undefined);
      return elapsed();
    };
    const [saidReadyMs, readyMs] = await Promise.all([saidReady(view, elapsed), ready()]);
    return { saidReadyMs, readyMs, workloadsMs: workloads.done, rounds, load: load() };
  } finally {
    prober.close();
    await view.close();
  }
}

/** Deletes a Karmada and waits until all its objects are gone from the host cluster. */
export async function measureRemoval(session: Session, instance: Instance): Promise<Removal> {
  const view = await watchRemoval(session, instance.namespace);
  try {
    const load = countLoad(session.clusters);
    const elapsed = stopwatch();
    const objectsMs: Record<string, number> = {};
    await session.client.delete(karmadas, instance);
    await view.until(
      `all objects of ${instance.name} are gone`,
      (change) => {
        if (change?.type === 'deleted') objectsMs[label(change.object)] = elapsed();
        const left = view.objects().map(label);
        return left.length === 0 ? undefined : `left: ${left.join(', ')}`;
      },
      removalDeadlineMs,
    );
    const goneMs = elapsed();
    const returnedMs = objectsMs[`${KIND}/${instance.name}`] ?? goneMs;
    return { goneMs, returnedMs, objectsMs, load: load() };
  } finally {
    await view.close();
  }
}
