/** Puts the parts together into what the operator drives. */
import { Archives } from '../archives/archives.ts';
import { ExternalEtcds } from '../external-etcd/external-etcds.ts';
import type { ProxySettings } from '../archives/proxies.ts';
import type { Karmada } from '../api/karmada.ts';
import type { Templates } from '../components/render.ts';
import type { Clock, Log, Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import type { EventRecorder } from '../kubernetes/events.ts';
import type { Change } from '../kubernetes/informer.ts';
import { enqueueOwners } from '../kubernetes/ownership.ts';
import type { RateLimit } from '../kubernetes/limiter.ts';
import { createLookup } from '../kubernetes/names.ts';
import type { WorkQueue } from '../kubernetes/queue.ts';
import { keyOf, keyText } from '../kubernetes/resources.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { Reconciler } from '../reconciler.ts';
import { RemoteHosts } from '../hosts/remote-hosts.ts';
import { tellingOfFailures } from './failing.ts';
import { createLocal, OWNER, type Host, type Local } from './host.ts';
import { laneOf } from './remote/place.ts';
import { Instances } from './instance.ts';
import { createReconcile } from './reconcile.ts';

export interface ReconcilerOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Bound of the calls to each host other than the operator's own cluster. */
  readonly rateLimit?: RateLimit;
  readonly templates: Templates;
  readonly keys: KeyGenerator;
  /** What the operator calls itself inside control planes. */
  readonly userAgent: string;
  /** Absolute paths below which CRD archives lie, in `cache/<sha256 of the URL>/crds.tar.gz`. */
  readonly dataDirectories: readonly string[];
  /** Absolute path below which archives are kept that were downloaded. */
  readonly cacheDirectory: string;
  /** Proxies of the process, for downloads. */
  readonly proxies: ProxySettings;
}

/** The reconciler of all Karmadas of the operator's cluster, wherever their control planes are. */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const local = createLocal(options);
  const instances = new Instances();
  let queue: WorkQueue | undefined;
  const aside = besides(options, {
    onChange: (key) => queue?.add(key),
    onOpen: (host) => queue && wireHost(host, local, queue),
  });
  const enqueue = (key: string): void => queue?.add(key);
  const tools = { ...options, ...aside, local, instances, enqueue };
  return {
    reconcile: tellingOfFailures(createReconcile(tools), tools),
    laneOf: (key) => laneOf(local, key),
    synced: Promise.all(local.informers.map(({ synced }) => synced)).then(() => undefined),
    isSynced: () => local.informers.every(({ hasSynced }) => hasSynced),
    start(given) {
      queue = given;
      wireLocal(local, given);
      wireHost(local, local, given);
      for (const informer of local.informers) informer.start();
    },
    rest() {
      aside.archives.rest();
      instances.rest();
    },
    async stop() {
      await Promise.all(local.informers.map((informer) => informer.stop()));
      aside.archives.close();
      aside.etcds.close();
      await instances.close();
      await aside.hosts.close();
    },
  };
}

interface Aside {
  readonly archives: Archives;
  readonly etcds: ExternalEtcds;
  readonly hosts: RemoteHosts;
}

/** What is looked at beside the reconciles. */
function besides(
  options: ReconcilerOptions,
  told: { readonly onChange: (key: string) => void; readonly onOpen: (host: Host) => void },
): Aside {
  const { dataDirectories, cacheDirectory } = options;
  const ready = [...dataDirectories, cacheDirectory];
  return {
    archives: new Archives({ ...options, ...told, ready, writable: cacheDirectory }),
    etcds: new ExternalEtcds({ ...options, ...told }),
    hosts: new RemoteHosts({ ...options, ...told, lookup: createLookup() }),
  };
}

/** Which changes in the operator's own cluster ask for work on which Karmada. */
function wireLocal(local: Local, queue: WorkQueue): void {
  local.karmadas.onChange((change) => {
    queue.add(keyText(keyOf(change.object)));
    // Its names are free now: a younger one that had to give way may have them.
    if (change.type === 'deleted') enqueueNamespace(local, queue, change.object.metadata.namespace);
  });
}

/** The same for a host. */
function wireHost(host: Host, local: Local, queue: WorkQueue): void {
  for (const informer of [...host.owned, host.pods, host.claims])
    enqueueOwners(informer, queue, OWNER);
  host.namespaces.onChange(({ object }) => {
    if (object.metadata.deletionTimestamp !== undefined)
      enqueueNamespace(local, queue, object.metadata.name);
  });
  host.nodes.onChange((change) => {
    if (sameAddresses(change)) return;
    for (const karmada of local.karmadas.cache.list() as Karmada[])
      if (karmada.spec?.components?.karmadaAPIServer?.serviceType === 'NodePort')
        queue.add(keyText(keyOf(karmada)));
  });
}

function enqueueNamespace(local: Local, queue: WorkQueue, name: string | undefined): void {
  for (const other of local.karmadas.cache.list())
    if (other.metadata.namespace === name) queue.add(keyText(keyOf(other)));
}

function sameAddresses({ object, previous }: Change): boolean {
  return (
    previous !== undefined &&
    JSON.stringify(object['status']) === JSON.stringify(previous['status'])
  );
}
