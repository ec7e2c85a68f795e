/**
 * A control plane reduced to what one authority signs and what trusts it: Secrets with all their versions, Pods that
 * mount one of the recent ones, agents with copies that nothing updates. Only fixtures and tests use it.
 */
import type { Consumer } from '../../../pki/specs.ts';
import type { RotationAuthority } from '../authority.ts';
import { CONSUMERS, type ConsumerRow } from '../consumers.ts';
import { KUBELET_MS } from '../proofs.ts';
import { EMPTY_RECORD, type RotationRecord } from '../record.ts';
import type { Content } from '../step.ts';
import type { CustomSecret, WorldOptions } from './model-options.ts';

/** Interval at which client-go loads the file of a client certificate. */
const POLL_MS = 300_000;
/** Time for which an API server may still add what it trusted before. */
const MERGE_MS = 40_000;
/** Validity period of a certificate of an agent. */
export const LEAF_MS = 30 * 60_000;
/** Validity period of a CA: longer than each history. */
const CA_MS = 1_000 * 3_600_000;
/** Validity period of a successor that should not sign. */
const SHORT_MS = 20 * 60_000;

export interface Root {
  readonly sha256: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

interface Version extends Content {
  readonly at: number;
}

interface ModelSecret {
  readonly name: string;
  readonly versions: Version[];
}

/** Pod, or its process: a restart of the container is one of the Pod. */
export interface ModelPod {
  readonly name: string;
  readonly row: ConsumerRow;
  readonly secret: ModelSecret;
  startedAt: number;
  /** Roots that it no longer trusts as an API server, with the time at which it may last have added them to the ConfigMap. */
  readonly late: Map<string, number>;
  /** Versions of its Secret: mounted, read at start, and of the client certificate that it uses. */
  mounted: number;
  started: number;
  polled: number;
}

/** Client outside the control plane. */
export interface Agent {
  readonly name: string;
  readonly trust: readonly string[];
  leaf: { readonly root: string; readonly expiresAt: number };
  /** A user gave it up by `rotate-complete`. */
  isGivenUp: boolean;
}

const PODS: Readonly<Partial<Record<Consumer, number>>> = { apiserver: 2, etcd: 3 };

export class World {
  now = 1_000_000_000;
  readonly authority: RotationAuthority;
  readonly keysMs: number;
  readonly roots = new Map<string, Root>();
  readonly secrets: readonly ModelSecret[];
  readonly pods: readonly ModelPod[];
  readonly agents: readonly Agent[];
  readonly sinceCreation: readonly string[];
  readonly backup: {
    version: number;
    /** As it is read from the annotation. */
    record: RotationRecord;
    active: string;
    successor: string | undefined;
    readonly keys: Set<string>;
    readonly crossSigned: { root: string; by: string }[];
    readonly probes: Set<string>;
  };
  /** ConfigMap with the CAs of API servers. */
  readonly shared: { roots: readonly string[]; changedAt: number };
  annotations: Record<string, string> = {};
  readonly user: CustomSecret = { hasKey: false };
  readonly isCustom: boolean;
  /** Root that another tool has restored. Nothing shows which agents get certificates of it. */
  restoredRoot: string | undefined;
  /** Roots whose rotation was completed. */
  readonly retired = new Set<string>();

  constructor({ authority, successor: given, keysMs, isCustom }: WorldOptions) {
    this.isCustom = isCustom && authority === 'ca';
    const successor = this.isCustom ? 'missing' : given;
    this.authority = authority;
    this.keysMs = keysMs;
    const active = this.newRoot();
    const lifeMs = successor === 'short' ? SHORT_MS : CA_MS;
    const next = successor === 'missing' ? undefined : this.newRoot(lifeMs);
    const isPublished = next !== undefined && successor !== 'unpublished';
    const bundle = [active, ...(isPublished ? [next] : [])];
    this.sinceCreation = this.isCustom ? [] : bundle;
    this.secrets = ['cert', 'leaves'].map((name) => ({
      name,
      versions: [{ at: 0, signer: active, bundle }],
    }));
    this.backup = {
      ...{ version: 0, record: EMPTY_RECORD, active, successor: next },
      keys: new Set([active, ...(next === undefined ? [] : [next])]),
      ...{ crossSigned: [], probes: new Set() },
    };
    this.shared = { roots: bundle, changedAt: 0 };
    this.pods = CONSUMERS[authority].flatMap((row) => this.#podsOf(row));
    const leaf = { root: active, expiresAt: this.now + LEAF_MS };
    this.agents = [bundle, [active]].map((trust, index) => ({
      ...{ name: `agent-${String(index)}`, trust, leaf, isGivenUp: false },
    }));
  }

  #podsOf(row: ConsumerRow): readonly ModelPod[] {
    const [cert, leaves] = this.secrets;
    const secret = row.component === 'apiserver' || row.component === 'etcd' ? cert : leaves;
    if (secret === undefined) return [];
    return Array.from({ length: PODS[row.component] ?? 1 }, (_, index) => ({
      ...{ name: `${row.component}-${String(index)}`, row, secret },
      ...{ startedAt: this.now, mounted: 0, started: 0, polled: 0, late: new Map() },
    }));
  }

  newRoot(lifeMs = CA_MS): string {
    const sha256 = (this.roots.size + 1).toString(16).padStart(64, '0');
    this.roots.set(sha256, { sha256, notBefore: this.now, notAfter: this.now + lifeMs });
    return sha256;
  }

  isValid(root: string): boolean {
    return (this.roots.get(root)?.notAfter ?? 0) > this.now;
  }

  /** The root that signs now, in the Secret that components mount. */
  active(): string {
    const [cert] = this.secrets;
    return cert?.versions.at(-1)?.signer ?? '';
  }

  /** Lets time pass. Kubelets and clients are late, but not without limit. */
  pass(ms: number): void {
    this.now += ms;
    this.#merge();
    for (const pod of this.pods) {
      pod.mounted = Math.max(pod.mounted, this.#versionAt(pod, KUBELET_MS));
      pod.polled = Math.max(pod.polled, this.#versionAt(pod, KUBELET_MS + POLL_MS));
    }
    this.#merge();
  }

  /** The version that a Secret had some time ago. */
  #versionAt({ secret }: ModelPod, agoMs: number): number {
    return secret.versions.findLastIndex(({ at }) => at <= this.now - agoMs);
  }

  /** A kubelet mounts what a Secret contains now. */
  sync(pod: ModelPod): void {
    pod.mounted = pod.secret.versions.length - 1;
    this.#merge();
  }

  /** A process starts. Its kubelet may mount what the Secret contained up to 90 s ago. @param age 0 for the present content */
  restart(pod: ModelPod, age: number): void {
    const latest = pod.secret.versions.length - 1;
    pod.mounted = Math.max(latest - age, this.#versionAt(pod, KUBELET_MS));
    Object.assign(pod, { startedAt: this.now, started: pod.mounted, polled: pod.mounted });
    this.#merge();
  }

  /** Another tool restores a Secret of the time before the successor. Only while nothing uses the successor. */
  withdraw(): void {
    const secret = this.secrets.at(-1);
    const signer = this.active();
    if (this.backup.record.rotations.length > 0 || secret?.versions.at(-1)?.signer !== signer)
      return;
    secret.versions.push({ at: this.now, signer, bundle: [signer] });
  }

  poll(pod: ModelPod): void {
    pod.polled = pod.mounted;
  }

  /** API servers only ever add to the ConfigMap, some of them late. */
  #merge(): void {
    for (const pod of this.pods.filter(({ row }) => row.component === 'apiserver')) {
      const trust = this.trustOf(pod);
      for (const root of trust) pod.late.set(root, this.now + MERGE_MS);
      this.#add(trust);
    }
  }

  /** An API server adds what it trusted a short time ago. */
  mergeLate({ late }: ModelPod): void {
    this.#add([...late].filter(([, until]) => until >= this.now).map(([root]) => root));
  }

  #add(added: readonly string[]): void {
    if (added.every((root) => this.shared.roots.includes(root))) return;
    const roots = [...new Set([...this.shared.roots, ...added])];
    Object.assign(this.shared, { roots, changedAt: this.now });
  }

  /** Roots that a Pod accepts as a server. */
  trustOf(pod: ModelPod): readonly string[] {
    if (pod.row.question === 'forbiddenCall') return this.shared.roots;
    return contentAt(pod, pod.row.restarts ? pod.started : pod.mounted).bundle;
  }

  /** Renews the certificate of an agent with what kube-controller-manager mounts. */
  renew(agent: Agent): void {
    const signer = this.pods.find(({ row }) => row.component === SIGNER[this.authority]);
    if (signer === undefined) return;
    agent.leaf = { root: this.signerOf(signer), expiresAt: this.now + LEAF_MS };
    agent.isGivenUp ||= agent.leaf.root === this.restoredRoot;
  }

  /** What a Pod signs with. */
  signerOf(pod: ModelPod): string {
    return contentAt(pod, pod.row.restarts || pod.row.hasHiddenLeaf ? pod.started : pod.mounted)
      .signer;
  }
}

/** Which component signs for clients outside: certificate requests, and tokens. */
const SIGNER: Readonly<Partial<Record<RotationAuthority, Consumer>>> = {
  ca: 'kube-controller-manager',
  'service-account-key': 'apiserver',
};

export function contentAt({ secret }: ModelPod, version: number): Content {
  return secret.versions[version] ?? { signer: '', bundle: [] };
}

/** What a Pod presents as a server. Servers reload it, except those that read it at start; etcd reads it per handshake. */
export function presentedBy(pod: ModelPod): string {
  const isAtStart = pod.row.restarts && pod.row.component !== 'etcd';
  return contentAt(pod, isAtStart ? pod.started : pod.mounted).signer;
}
