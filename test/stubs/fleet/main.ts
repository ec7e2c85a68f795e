/**
 * Runs a stub cluster with many control planes in a process of its own, and observes the operator from there. Start it with
 * `fork`; it sends its `ClusterAccess`, answers questions, and ends with its parent.
 */
import { DEFAULT_NAMESPACE } from '../../../src/permissions/one-operator-lease.ts';
import { servePlainly } from '../api/serve.ts';
import { Addresses } from '../network/addresses.ts';
import { StubCluster } from '../stub-cluster.ts';
import type { FleetSample, Question } from './questions.ts';
import { Readiness } from './readiness.ts';
import { DAMAGED, Repairs } from './repairs.ts';
import { RequestCounts } from './request-counts.ts';

const LEASE = `${DEFAULT_NAMESPACE}/karmada-operator`;

const addresses = await Addresses.claim();
const counts = new RequestCounts(DAMAGED);
const cluster = await StubCluster.start({
  addresses,
  serving: (place) => (server, target) => {
    server.on('request', (request) => {
      if (place !== 'inside') counts.record('host', request);
      else if (!isOfDamaged(request.socket.localAddress)) counts.record('inside', request);
    });
    servePlainly(server, target);
  },
});
const { store } = cluster.api;
const readiness = new Readiness(store, () => performance.now());
const repairs = new Repairs(cluster);

/** Whether an address is that of a Pod of the control plane that is damaged. Its requests do not count. */
function isOfDamaged(address: string | undefined): boolean {
  return store
    .list('/pods', DAMAGED)
    .some(({ status }) => (status as { podIP?: string } | undefined)?.podIP === address);
}

function leaseTransitions(): number | undefined {
  const spec = store.get('coordination.k8s.io/leases', LEASE)?.['spec'];
  return (spec as { leaseTransitions?: number } | undefined)?.leaseTransitions;
}

const ACTIONS: Readonly<Record<Question, () => void>> = {
  sample: () => undefined,
  reset: () => {
    counts.reset();
    readiness.reset();
    repairs.reset();
  },
  'start repairs': () => repairs.start(),
  'stop repairs': () => repairs.stop(),
};

process.on('message', (question: Question) => {
  ACTIONS[question]();
  const sample: FleetSample = {
    requests: counts.counts,
    readiness: readiness.sample,
    repairsMs: repairs.timesMs,
    leaseTransitions: leaseTransitions(),
  };
  process.send?.(sample);
});
process.send?.(cluster.access);
process.on('disconnect', () => process.exit());
