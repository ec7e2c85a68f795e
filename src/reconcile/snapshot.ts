/** What one pass knows: everything it read, once, as plain values. Nothing in here is secret. */
import type { Problem } from '../api/problem.ts';
import type { ArchiveSnapshot } from '../archives/outcome.ts';
import type { DefaultedSpec } from '../api/defaults.ts';
import type { EtcdClientSecret } from '../api/external-etcd.ts';
import type { SecretRefusal } from '../api/secret-grant.ts';
import type { Karmada } from '../api/karmada.ts';
import type { ComponentName } from '../components/component.ts';
import type { EtcdView } from '../etcd/view.ts';
import type { EtcdCheck } from '../external-etcd/check.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Member } from '../members/member.ts';
import type { EtcdBirth } from './etcd/birth/etcd-birth.ts';
import type { Hold } from './hold.ts';

/** The host cluster's part of an instance. */
export interface HostSnapshot {
  /** Workloads, Services, disruption budgets and Secrets (values as hashes) that bear our labels. */
  readonly objects: readonly KubernetesObject[];
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
}

/** A host other than the operator's own cluster. */
export interface RemoteSnapshot {
  /** URL of its API server. */
  readonly server: string;
  /** What no other cluster has, see `clusterUid`. */
  readonly uid?: string;
  /** `namespace/name` of the Secret that leads to it. */
  readonly secret: string;
  /** Whether it has the namespace of the Karmada. */
  readonly hasNamespace: boolean;
  /** The copy of the administrator's kubeconfig beside the Karmada. */
  readonly kubeconfig?: KubernetesObject;
}

/** The instance's own API. */
export interface ControlPlaneSnapshot {
  /** `waiting`: its API server does not serve; `syncing`: nothing is known yet, it is not read. */
  readonly state: 'waiting' | 'syncing' | 'ready';
  /** Why it is not ready; empty when it is. */
  readonly message: string;
  /** Something about it that does not mend by waiting. */
  readonly problem?: Problem;
  /** Its API server answers, and what was read of it does not count any more. */
  readonly unobserved?: Problem;
  /** It has pods and is not ready. */
  readonly ask?: boolean;
  /** It answers, be it only that it is not ready. */
  readonly listens?: boolean;
  /** Objects that bear our labels; CRDs without their schemas. */
  readonly objects: readonly KubernetesObject[];
  /** gitVersion of the running kube-apiserver. */
  readonly kubernetesVersion?: string;
}

/** The public side of an instance's certificates. */
export interface CertificatesView {
  /** PEM certificates to trust, as in `ca.crt`. */
  readonly caBundle: string;
  /** URL of the API server for users; absent until it is known. */
  readonly externalServer?: string;
  /** Whether an address or port of its Service is still to be allocated. */
  readonly addressAwaited: boolean;
  /** Per component, a hash over the certificates it reads only when it starts. */
  readonly restartHashes: Readonly<Partial<Record<ComponentName, string>>>;
  /** When the first certificate runs out, wall clock in milliseconds. */
  readonly expiresAt: number;
  /** When they have to be looked at again, wall clock in milliseconds. */
  readonly checkAt: number;
  /** SHA-256 of the certificates of etcd's CA, the one that signs first; none for an external etcd. */
  readonly etcdAuthorities: readonly string[];
  /** Names of all Secrets that belong to them. */
  readonly secretNames: readonly string[];
  /** What could not be done as asked, one sentence each. */
  readonly remarks: readonly string[];
}

export type CertificatesSnapshot =
  | { readonly state: 'valid'; readonly view: CertificatesView }
  /** Some Secret is missing or has changed: they have to be read, and what lacks be issued. */
  | { readonly state: 'due'; readonly reason: string; readonly last?: CertificatesView };

/** The etcd that somebody else runs. */
export interface ExternalEtcdSnapshot {
  readonly secret: EtcdClientSecret;
  /** What a look at it showed; absent before the first one. */
  readonly check: EtcdCheck | undefined;
  /** `namespace/name` of an older instance that has the same keys in it. */
  readonly elder?: string;
  /** Why the copy of the Secret is not there. */
  readonly copyProblem?: Problem;
}

/** The member clusters that are to have an estimator. */
export interface MembersSnapshot {
  /**
   * `off`: the instance is to have none; `reading`: they have not been read yet; `unknown`: they cannot
   * be read.
   */
  readonly state: 'off' | 'reading' | 'unknown' | 'known';
  /** Why they are not known; else empty. */
  readonly message: string;
  readonly members: readonly Member[];
  /** By member, the version of its credentials inside the control plane; empty when it is not known. */
  readonly credentials: ReadonlyMap<string, string>;
  /** By member, why it has no access, or can have none. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** By member, why its access is not as narrow as it could be. */
  readonly notes: ReadonlyMap<string, string>;
}

export interface Snapshot {
  readonly karmada: Karmada;
  /** With its defaults, and without versions that may not be taken up. */
  readonly spec: DefaultedSpec;
  /** Versions that the spec asks for and that are not taken up. */
  readonly versionHolds?: readonly Hold[];
  /** Secrets in use that a new Karmada would be refused. */
  readonly secretWarnings?: readonly SecretRefusal[];
  /** What the operator may not do on the host, and needs to, such as `patch persistentvolumeclaims`. */
  readonly missingRights?: readonly string[];
  /** Wall clock, milliseconds. */
  readonly now: number;
  readonly host: HostSnapshot;
  /** The host, when it is not the operator's own cluster. */
  readonly remote?: RemoteSnapshot;
  readonly controlPlane: ControlPlaneSnapshot;
  readonly certificates: CertificatesSnapshot;
  readonly archive: ArchiveSnapshot;
  readonly members: MembersSnapshot;
  /** What its own etcd's members answered, when they were last asked; absent for an external etcd. */
  readonly etcd?: EtcdView;
  /** Absent until it is known, and for an external etcd. */
  readonly etcdBirth?: EtcdBirth;
  /** Absent for an instance with an etcd of its own. */
  readonly externalEtcd?: ExternalEtcdSnapshot;
}

/** The snapshot with other objects in the host and inside the control plane. */
export function withObjects<T extends Pick<Snapshot, 'host' | 'controlPlane'>>(
  snapshot: T,
  replace: (
    place: 'host' | 'controlPlane',
    objects: readonly KubernetesObject[],
  ) => readonly KubernetesObject[],
): T {
  const { host, controlPlane } = snapshot;
  return {
    ...snapshot,
    host: { ...host, objects: replace('host', host.objects) },
    controlPlane: { ...controlPlane, objects: replace('controlPlane', controlPlane.objects) },
  };
}
