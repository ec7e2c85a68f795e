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
import type { Cluster } from '../embedded-cluster/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { FAULTS } from '../harness/faults/all-faults.ts';
import type { Fault } from '../harness/faults/fault.ts';
import { removeFault } from '../harness/faults/make-fault.ts';
import { observeFault, type Observation } from '../harness/faults/observe-fault.ts';
import { selectFaults, titleOf } from '../harness/faults/select-faults.ts';
import { installOperator } from '../harness/operator.ts';
import { inPool } from '../stubs/kills/pool.ts';

/** Control planes at a time; one needs about 1 GiB. */
const WIDTH = 4;
/** Time in milliseconds from the report of Kubernetes until the status names a fault. */
const IN_TIME_MS = 30_000;
/** Share of the faults that the status names in time. */
const SHARE = 58 / 60;

const chosen = selectFaults(FAULTS, process.env['KARMADA_TEST_FAULTS']);

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

  it.each(chosen.map((one) => [titleOf(one), one] as const))(
    '%s',
    (_, { id, named, isWarning }) => {
      const { condition, seen, wasReady } = found.get(id) ?? {};
      // The conditions are printed if the expected one did not appear.
      expect(condition === undefined ? seen : named.reason).toBe(named.reason);
      expect(wasReady).toBe(wasReady === true && isWarning === true);
    },
  );

  it('names nearly all faults within 30 seconds of the report of Kubernetes', () => {
    const late = chosen.filter(({ id }) => (found.get(id)?.namedAfterMs ?? Infinity) > IN_TIME_MS);
    expect(late.map(({ id }) => id).slice(Math.ceil(chosen.length * (1 - SHARE)))).toEqual([]);
  });
});

/** Line of the table that a run prints: time from the report of Kubernetes to the name, and reason. */
function lineOf({ id, title }: Fault, { condition, namedAfterMs }: Observation): string {
  const seconds = namedAfterMs === undefined ? 'unreported' : (namedAfterMs / 1_000).toFixed(1);
  const after = condition === undefined ? 'not named' : seconds;
  return [id, after, condition?.reason ?? '-', title].join('\t');
}
