/**
 * Runs a host cluster with a real API server, etcd and kube-controller-manager for many control planes of stubs. Start it with `fork`; it
 * sends its `ClusterAccess`, answers questions, and stops its processes on SIGTERM.
 */
import { karmadas } from '../../../../src/host-clusters/host.ts';
import { systemClock } from '../../../../src/kubernetes/time/clock.ts';
import { Informer } from '../../../../src/kubernetes/informers/informer.ts';
import { resources } from '../../../../src/kubernetes/objects/resources.ts';
import { DEFAULT_NAMESPACE } from '../../../../src/permissions/one-operator-lease.ts';
import { servePlainly } from '../../api/serve.ts';
import { Store } from '../../api/store.ts';
import { EtcdProgram } from '../../etcd/etcd-program.ts';
import { KarmadaProgram } from '../../karmada/karmada-program.ts';
import { SILENT } from '../../kubelet/cluster-view.ts';
import { Kubelet } from '../../kubelet/kubelet.ts';
import { StubRuntime } from '../../kubelet/stub-runtime.ts';
import { Addresses } from '../../network/addresses.ts';
import { InformedView } from '../../processes/informed-view.ts';
import { startRealHost, type RealHost } from '../../processes/real-host.ts';
import { NODE } from '../../stub-cluster.ts';
import { AuditRequests } from '../audit-requests.ts';
import type { FleetSample, Question } from '../questions.ts';
import { KARMADAS, Readiness } from '../readiness.ts';
import { DAMAGED } from '../repairs.ts';
import { RequestCounts } from '../request-counts.ts';

const READY_MS = 300;
const GRACE_MS = 50;
/** No stub has an address of this block, so a connection to a Service is refused at once. */
const SERVICES = '127.255.0.0/16';
const CONTROLLER_FLAGS = ['--kube-api-qps=500', '--kube-api-burst=1000'];
const LEASE = { namespace: DEFAULT_NAMESPACE, name: 'karmada-operator' };

const host = await startRealHost({
  services: SERVICES,
  controllerFlags: CONTROLLER_FLAGS,
  audit: true,
});
const addresses = await Addresses.claim();
const counts = new RequestCounts(DAMAGED);
const audit = new AuditRequests(host.auditLog);
const kubelet = startKubelet(host);
const readiness = followKarmadas(host);

function startKubelet({ client }: RealHost): Kubelet {
  const view = new InformedView(client);
  const etcd = new EtcdProgram(view, READY_MS);
  const karmada = new KarmadaProgram({
    view,
    readyMs: READY_MS,
    serving: (server, target) => {
      server.on('request', (request) => counts.record('inside', request));
      servePlainly(server, target);
    },
    dataOf: (namespace, instance) => etcd.clusterOf(namespace, instance),
  });
  const programs = {
    'etcd/etcd': etcd.start,
    'karmada-apiserver/kube-apiserver': karmada.start,
  };
  const address = (): string => addresses.next();
  const runtime = new StubRuntime({ view, address, readyMs: READY_MS, programs });
  return new Kubelet({ client, runtime, node: NODE, graceMs: GRACE_MS });
}

function followKarmadas({ client }: RealHost): Readiness {
  const store = new Store();
  const followed = new Readiness(store, () => performance.now());
  const common = { clock: systemClock, random: Math.random, log: SILENT };
  const informer = new Informer({ ...common, client, type: karmadas });
  informer.onChange(({ type, object }) => {
    if (type === 'deleted') store.remove(KARMADAS, object);
    else store.put(KARMADAS, object);
  });
  informer.start();
  return followed;
}

async function sample(): Promise<FleetSample> {
  for (const request of await audit.take()) counts.record('host', request);
  const lease = await host.client.find(resources.Lease, LEASE);
  return {
    requests: counts.counts,
    readiness: readiness.sample,
    repairsMs: [],
    leaseTransitions: lease?.spec?.leaseTransitions,
  };
}

async function answer(question: Question): Promise<void> {
  if (question === 'reset') {
    await sample();
    counts.reset();
    readiness.reset();
  }
  process.send?.(await sample());
}

async function stop(): Promise<void> {
  await kubelet.stop();
  await host.stop();
  process.exit();
}

process.on('message', (question: Question) => void answer(question));
process.once('disconnect', () => void stop());
process.once('SIGTERM', () => void stop());
process.send?.(host.access);
