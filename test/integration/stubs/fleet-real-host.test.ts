/**
 * The same with a real API server, etcd and kube-controller-manager as the host cluster, for server-side apply, defaults and
 * validation of many control planes.
 *
 * @size enormous
 * @sample medium
 * @job fleet
 */
import { runsAll } from '../../harness/sample.ts';
import { describeFleet } from '../../stubs/fleet/fleet-cases.ts';

describeFleet({
  hasRealHost: true,
  ...(runsAll ? { count: 200, restMs: 600_000 } : { count: 5, restMs: 10_000 }),
});
