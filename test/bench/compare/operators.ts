/** Installations and repairs of a control plane by an operator. */
import { instanceName, WORKLOAD_SUFFIX } from '../../../src/api/naming.ts';
import { instancesOf } from '../install/instance.ts';
import { awaitRest, type RestOptions } from '../install/machine.ts';
import { measureInstall, measureRemoval } from '../install/measure.ts';
import { startOperator, stopOperator, type Operator } from '../install/operators.ts';
import type { Session } from '../install/session.ts';
import { measureRepairs } from './repairs.ts';

const DELETED = ['karmadaScheduler', 'karmadaWebhook', 'karmadaControllerManager'] as const;

/** What a round needs besides the operator. */
interface RoundOptions {
  /** Names of the required CRDs of a control plane. */
  readonly crds: readonly string[];
  readonly rest: RestOptions;
  /** Whether Deployments are deleted. */
  readonly repairs: boolean;
}

/**
 * Installs a core control plane with a new process of an operator, deletes Deployments of it, and removes it.
 * @returns seconds until it served requests, and the times of the repairs
 */
export async function measureOperator(
  session: Session,
  operator: Operator,
  { crds, rest, repairs }: RoundOptions,
): Promise<{ install: number; repairs: (number | undefined)[] }> {
  const [instance] = instancesOf('core');
  if (instance === undefined) throw new Error('no control plane to measure');
  await startOperator(session, operator);
  const { readyMs } = await measureInstall(session, instance, crds, () => awaitRest(rest));
  const { name, namespace } = instance;
  const names = DELETED.map((component) => instanceName(name, WORKLOAD_SUFFIX[component]));
  const times = repairs ? await measureRepairs(session, namespace, names) : [];
  await measureRemoval(session, instance);
  await stopOperator(session, operator);
  return { install: readyMs / 1000, repairs: times };
}
