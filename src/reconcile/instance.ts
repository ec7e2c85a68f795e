/**
 * What the process remembers of one instance between passes. Losing it is harmless: it costs reads,
 * never a write.
 */
import type { SecureContext } from 'node:tls';
import type { CrdArchive } from '../controlplane/crds.ts';
import type { Desired } from './desired.ts';
import type { Host } from '../hosts/host.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Members } from '../members/members.ts';
import type { KarmadaStatus } from '../api/karmada.ts';
import type { CertificatesView } from './snapshot.ts';
import type { Ways } from './ways/ways.ts';

/** Certificates as they were last read or written. */
export interface CertificatesMemo {
  readonly view: CertificatesView;
  /** What they were made from: the pki inputs as JSON. */
  readonly inputs: string;
  /** Hash of each value of `data` by Secret name and key, as the cache shows it. */
  readonly secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Monotonic milliseconds of the write; the cache may be behind for a moment after it. */
  readonly writtenAt: number;
}

/** A status that the cache may not show yet. */
interface StatusMemo {
  readonly uid: string;
  /** Version of the Karmada that the write made: an older one in the cache is from before it. */
  readonly written: string | undefined;
  readonly status: KarmadaStatus;
}

/** The record of an etcd that the cache may not show yet. */
export interface RecordMemo {
  readonly uid: string;
  /** Version of the Secret that the cache showed when it was written. */
  readonly shown: string;
  /** The annotation. */
  readonly value: string;
}

/** What was not answered when a control plane was asked whether it serves. */
export interface Unserved {
  readonly sentences: readonly string[];
  /** Questions in vain, in a row. */
  readonly inVain: number;
  /** Monotonic milliseconds before which it is not asked again, as long as its pods are the same. */
  readonly nextAt: number;
  readonly pods: string;
}

export interface Instance {
  readonly key: string;
  /** The host that all of this was seen on. */
  host?: Host;
  /** Generation of the Karmada, with its uid, in which defaults and finalizer are known to be there. */
  prepared?: string;
  certificates?: CertificatesMemo;
  controlPlane?: ControlPlane;
  /** Monotonic milliseconds since when its control plane is to be read. */
  readingSince?: number;
  /** Monotonic milliseconds since when its archive has not been read, or members of its etcd have not been asked. */
  pendingSince?: number;
  /** Generation of the spec that a user's change made, as this process saw it. */
  asked?: number | undefined;
  /** Its rollout begins: the status that says so is being written. */
  claims?: boolean;
  etcdRecord?: RecordMemo;
  /** What its own etcd's members are asked with. */
  etcdClient?: SecureContext;
  /** Since when a member of etcd may not be restarted that should be, in monotonic milliseconds. */
  restartHeldSince?: number;
  /** What is done in its members. */
  members?: Members;
  /** Running kube-apiserver's version, and the revision of its workload when no other one answers any more. */
  version?: { readonly revision: string | undefined; readonly kubernetes: string };
  /** The wish, as long as its inputs are the same. */
  rendered?: {
    readonly inputs: string;
    readonly archive: CrdArchive;
    readonly desired: Desired;
  };
  /** Versions in which live objects were seen to be as wanted, by their identity. */
  readonly settled: Map<string, string>;
  /** Ways to its components, as far as something waits for them. */
  ways?: Ways;
  /** What its control plane, though complete, did not answer. */
  unserved?: Unserved | undefined;
  status?: StatusMemo;
  /** Monotonic milliseconds of the last write of the status. */
  statusAt?: number;
  /** Milliseconds after which a change of mere words is written. */
  wordsAfterMs?: number;
}

/** Instances by key; closed and forgotten when their Karmada is gone. */
export class Instances {
  readonly #instances = new Map<string, Instance>();

  get(key: string): Instance {
    const known = this.#instances.get(key);
    if (known !== undefined) return known;
    const instance: Instance = { key, settled: new Map() };
    this.#instances.set(key, instance);
    return instance;
  }

  /** What is remembered of it, if anything is. */
  peek(key: string): Instance | undefined {
    return this.#instances.get(key);
  }

  all(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** Lets go of what the next pass over each of them makes again. */
  rest(): void {
    for (const instance of this.#instances.values()) delete instance.rendered;
  }

  async forget(key: string): Promise<void> {
    const known = this.#instances.get(key);
    this.#instances.delete(key);
    await known?.members?.close();
    await known?.controlPlane?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#instances.keys()].map((key) => this.forget(key)));
  }
}
