/**
 * Control planes with one fault each, several at a time. The status must name the fault: condition, reason, object and action.
 *
 * @size enormous
 * @sample medium
 * @tier drawn
 * @alone
 * @job faults
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { useCluster } from '../harness/cluster.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { FAULTS } from '../harness/faults/all-faults.ts';
import type { Fault } from '../harness/faults/fault.ts';
import { removeFault } from '../harness/faults/make-fault.ts';
import { observeFault, type Observation } from '../harness/faults/observe-fault.ts';
import { isInTime, mostLate } from '../harness/faults/in-time.ts';
import { installOperator } from '../harness/operator.ts';
import { selectCases } from '../harness/select-cases.ts';
import { inPool } from '../stubs/kills/pool.ts';

/** Control planes at a time; one needs about 1 GiB. */
const WIDTH = 4;

const chosen = selectCases('e2e/faults', FAULTS, process.env);

describeCluster('status of a control plane with a fault', () => {
  let cluster: Cluster;
  const found = new Map<string, Observation>();

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    await inPool(chosen, WIDTH, (fault) => removeFault(cluster, fault));
    await inPool(chosen, WIDTH, async (fault) => {
      const observation = await observeFault(cluster, fault);
      found.set(fault.id, observation);
      process.stderr.write(`${lineOf(fault, observation)}\n`);
      await removeFault(cluster, fault);
    });
  }, 7_200_000);

  afterAll(() => inPool(chosen, WIDTH, (fault) => removeFault(cluster, fault)), 600_000);

  it.each(chosen.map((one) => [one.title, one] as const))(
    'names %s',
    (_, { id, named, isWarning }) => {
      const { condition, seen, wasReady } = found.get(id) ?? {};
      // The conditions are printed if the expected one did not appear.
      expect(condition === undefined ? seen : named.reason).toBe(named.reason);
      expect(wasReady).toBe(wasReady === true && isWarning === true);
    },
  );

  it('names the faults within 30 seconds of the report of Kubernetes, nearly all in a complete run', () => {
    const late = chosen.filter(({ id }) => !isInTime(found.get(id)?.namedAfterMs));
    const most = mostLate(chosen.length, FAULTS.length);
    expect(late.map(({ id }) => id).slice(most)).toEqual([]);
  });
});

/** Line of the table that a run prints: time from the report of Kubernetes to the name, and reason. */
function lineOf({ id, title }: Fault, { condition, namedAfterMs }: Observation): string {
  const seconds = namedAfterMs === undefined ? 'unreported' : (namedAfterMs / 1_000).toFixed(1);
  const after = condition === undefined ? 'not named' : seconds;
  return [id, after, condition?.reason ?? '-', title].join('\t');
}
