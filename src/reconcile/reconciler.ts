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
import type { WorkQueue } from '../kubernetes/queue.ts';
import { keyOf, keyText } from '../kubernetes/resources.ts';
import type { KeyGenerator } from '../pki/keys.ts';
import type { Reconciler } from '../reconciler.ts';
import { createHost, OWNER, type Host } from './host.ts';
import { Instances } from './instance.ts';
import { createReconcile } from './reconcile.ts';

export interface ReconcilerOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: Pick<EventRecorder, 'record'>;
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

/** The reconciler of all Karmadas of one host cluster. */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const host = createHost(options);
  const instances = new Instances();
  let queue: WorkQueue | undefined;
  const enqueue = (key: string): void => queue?.add(key);
  const archives = new Archives({
    ...options,
    ready: [...options.dataDirectories, options.cacheDirectory],
    writable: options.cacheDirectory,
    onChange: enqueue,
  });
  const etcds = new ExternalEtcds({ ...options, onChange: enqueue });
  const parts = { host, instances, archives, etcds, enqueue };
  const reconcile = createReconcile({ ...options, ...parts });
  return {
    reconcile,
    synced: Promise.all(host.informers.map(({ synced }) => synced)).then(() => undefined),
    isSynced: () => host.informers.every(({ hasSynced }) => hasSynced),
    start(given) {
      queue = given;
      wire(host, given);
      for (const informer of host.informers) informer.start();
    },
    rest() {
      archives.rest();
      instances.rest();
    },
    async stop() {
      await Promise.all(host.informers.map((informer) => informer.stop()));
      archives.close();
      etcds.close();
      await instances.close();
    },
  };
}

/** Which changes ask for work on which Karmada. */
function wire(host: Host, queue: WorkQueue): void {
  host.karmadas.onChange((change) => {
    queue.add(keyText(keyOf(change.object)));
    // Its names are free now: a younger one that had to give way may have them.
    if (change.type === 'deleted') enqueueNamespace(host, queue, change.object.metadata.namespace);
  });
  for (const informer of [...host.owned, host.pods, host.claims])
    enqueueOwners(informer, queue, OWNER);
  host.namespaces.onChange(({ object }) => {
    if (object.metadata.deletionTimestamp !== undefined)
      enqueueNamespace(host, queue, object.metadata.name);
  });
  host.nodes.onChange((change) => {
    if (sameAddresses(change)) return;
    for (const karmada of host.karmadas.cache.list() as Karmada[])
      if (karmada.spec?.components?.karmadaAPIServer?.serviceType === 'NodePort')
        queue.add(keyText(keyOf(karmada)));
  });
}

function enqueueNamespace(host: Host, queue: WorkQueue, name: string | undefined): void {
  for (const other of host.karmadas.cache.list())
    if (other.metadata.namespace === name) queue.add(keyText(keyOf(other)));
}

function sameAddresses({ object, previous }: Change): boolean {
  return (
    previous !== undefined &&
    JSON.stringify(object['status']) === JSON.stringify(previous['status'])
  );
}
