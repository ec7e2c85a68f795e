/** A provisioner of volumes that takes its time: it reports that it starts, and creates a directory of the node later. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { apply } from './cluster.ts';

const PROVISIONER = 'example.com/slow';
/** Label of the volumes: their StorageClass. */
const LABEL = 'example.com/slow-class';
const INTERVAL_MS = 1_000;

interface Claim extends KubernetesObject {
  readonly spec?: { readonly storageClassName?: string; readonly volumeName?: string };
}

/** Provides the PVCs of one namespace and StorageClass, both with the same name. */
export class SlowProvisioner {
  /** Time from a new PVC to its volume, in milliseconds. */
  delayMs = 0;
  readonly #cluster: Cluster;
  readonly #name: string;
  /** Time of the first sight of each PVC by its UID, in milliseconds since 1970. */
  readonly #seen = new Map<string, number>();
  readonly #provided = new Set<string>();
  #loop: Promise<void> | undefined;
  #isStopped = false;

  constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster;
    this.#name = name;
  }

  /** Creates the StorageClass, and provides volumes until `stop`. */
  async start(): Promise<void> {
    await apply(this.#cluster, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: this.#name },
      provisioner: PROVISIONER,
      volumeBindingMode: 'Immediate',
    });
    this.#loop = this.#run();
    // The error is thrown by `stop`.
    this.#loop.catch(() => undefined);
  }

  /** @throws the error of the loop, if it has failed */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
  }

  /** Deletes the StorageClass and the volumes. */
  async clean(): Promise<void> {
    const gone = ['--ignore-not-found', '--wait=false'];
    await tryKubectl(this.#cluster, ['delete', 'storageclass', this.#name, ...gone]);
    const volumes = ['-l', `${LABEL}=${this.#name}`];
    await tryKubectl(this.#cluster, ['delete', 'persistentvolume', ...volumes, ...gone]);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      for (const claim of await this.#pending()) await this.#work(claim);
      await sleep(INTERVAL_MS);
    }
  }

  async #pending(): Promise<readonly Claim[]> {
    const { stdout } = await tryKubectl(this.#cluster, [
      'get',
      'pvc',
      '-n',
      this.#name,
      '-o',
      'json',
    ]);
    const { items } = (stdout === '' ? { items: [] } : JSON.parse(stdout)) as {
      readonly items: readonly Claim[];
    };
    return items.filter(
      ({ spec, metadata }) =>
        spec?.storageClassName === this.#name &&
        spec.volumeName === undefined &&
        metadata.deletionTimestamp === undefined,
    );
  }

  async #work({ metadata: { name, uid = '' } }: Claim): Promise<void> {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      name,
      uid,
      namespace: this.#name,
    };
    if (!this.#seen.has(uid)) {
      this.#seen.set(uid, Date.now());
      await this.#report(claim);
    }
    const age = Date.now() - (this.#seen.get(uid) ?? 0);
    if (age < this.delayMs || this.#provided.has(uid)) return;
    this.#provided.add(uid);
    await this.#provide(claim);
  }

  /** Records the Event with which an external provisioner reports that it starts. */
  async #report(claim: { readonly name: string; readonly uid: string }): Promise<void> {
    const now = new Date().toISOString();
    const namespace = this.#name;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `provisioning.${claim.uid}`, namespace },
      involvedObject: claim,
      type: 'Normal',
      reason: 'Provisioning',
      count: 1,
      message: `External provisioner is provisioning volume for claim "${namespace}/${claim.name}"`,
      source: { component: PROVISIONER },
      firstTimestamp: now,
      lastTimestamp: now,
    };
    await kubectl(this.#cluster, ['create', '-f', '-'], JSON.stringify(event));
  }

  /** Creates the volume of a PVC: a directory of the node. */
  async #provide(claimRef: { readonly uid: string }): Promise<void> {
    const path = `/var/lib/karmada-faults/${this.#name}-${claimRef.uid}`;
    const script = 'mkdir -p "$0" && chmod 777 "$0"';
    await run(inNode(this.#cluster.node, ['sh', '-c', script, path]));
    await apply(this.#cluster, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${this.#name}-${claimRef.uid}`, labels: { [LABEL]: this.#name } },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef,
        storageClassName: this.#name,
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path, type: 'Directory' },
      },
    });
  }
}
