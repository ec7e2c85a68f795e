/**
 * One operator with many control planes of stubs, with the default flags and the heap limit of its Pod: 1,000, and 20 in a sample.
 * `npm run bench:fleet` measures times and memory.
 *
 * @size enormous
 * @sample small
 * @tier always
 * @job fleet
 */
import { runsAll } from '../../harness/sample.ts';
import { describeFleet } from '../../stubs/fleet/fleet-cases.ts';

describeFleet({
  hasRealHost: false,
  ...(runsAll ? { count: 1_000, restMs: 600_000 } : { count: 20, restMs: 10_000 }),
});
