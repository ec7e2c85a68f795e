/** Types of the PKI: inputs of certificates, certificates and Secrets. */
import type { AuthorityInfo } from './public-info.ts';
import type { CATALOG, OptionalSuffix } from '../api/component-catalog.ts';

export type AuthorityName = 'ca' | 'etcd-ca' | 'front-proxy-ca';

/** Components with their own kubeconfig for the Karmada API, in Secret `N(<component>-config)`. */
export type ClientComponent = Extract<
  (typeof CATALOG)[number],
  { readonly kubeconfig: true }
>['suffix'];

/** Components with their own serving certificate, in Secret `N(<component>-cert)`. */
export const SERVING_COMPONENTS = [
  'aggregated-apiserver',
  'webhook',
  'metrics-adapter',
  'search',
  'scheduler-estimator',
] as const;

export type ServingComponent = (typeof SERVING_COMPONENTS)[number];

export type LeafName =
  | 'karmada'
  | 'apiserver'
  | 'front-proxy-client'
  | 'etcd-server'
  | 'etcd-peer'
  | 'etcd-client'
  | 'admin-client'
  | 'metrics-client'
  | 'estimator-client'
  | `${ServingComponent}-serving`
  | `${ClientComponent}-client`;

/** Suffixes of the Secrets: the Secret of role `cert` is `N(cert)`. */
export type SecretRole =
  | 'cert'
  | 'etcd-cert'
  | 'service-account-key'
  | 'ca-backup'
  | 'admin-config'
  | 'metrics-client'
  | 'estimator-client'
  | `${ServingComponent}-cert`
  | `${ClientComponent}-config`;

/** `own`: a user with a role. `masters`: a member of `system:masters`. */
export type IdentityKind = 'own' | 'masters';

/** Which identities certificates get. */
export interface IdentityPolicy {
  /** Whether the control plane may use identities of its own without a decision about each of them. */
  readonly mayStartOwn: boolean;
  /** Decisions about certificates. Others keep what they have. */
  readonly decided: Readonly<Partial<Record<LeafName, IdentityKind>>>;
}

/** Complete input for the certificates of one control plane, as plain values. */
export interface PkiInputs {
  /** `metadata.name` of the Karmada object */
  readonly name: string;
  readonly namespace: string;
  /** `spec.hostCluster.networking.dnsDomain` */
  readonly dnsDomain: string;
  /** `spec.components.karmadaAPIServer.serviceSubnet`; two CIDRs joined by `,` for dual stack */
  readonly serviceSubnet: string;
  readonly etcd: 'local' | 'external';
  /** Whether an optional component is installed. */
  readonly addons: Readonly<Record<OptionalSuffix, boolean>>;
  /** `spec.monitoring.clientCertificate` */
  readonly metricsClient: boolean;
  /** `spec.customCertificate.leafCertValidityDays`, 365 when unset */
  readonly leafValidityDays: number;
  /** whether `spec.customCertificate.apiServerCACert` is set; a custom CA gets no successor */
  readonly customAuthority: boolean;
  /** SANs of the spec, not validated */
  readonly extraSans: {
    readonly apiServer: readonly string[];
    readonly aggregatedAPIServer: readonly string[];
    readonly etcdServer: readonly string[];
    readonly etcdPeer: readonly string[];
  };
  /**
   * External addresses of the API server: nodes or load balancer. `unknown` (a read failed, or the load
   * balancer has no address yet) never removes an address from a certificate.
   */
  readonly exposedAddresses: readonly string[] | 'unknown';
  /** Cluster IPs of the API server Service. The certificate gets them with its next issue; see `SanSet.eventual`. */
  readonly clusterAddresses: readonly string[];
  /**
   * Addresses of all nodes, for a node port. The certificate gets them with its next issue; see `SanSet.delayed`.
   */
  readonly nodeAddresses?: readonly string[];
  /** URL of the API server in the host cluster */
  readonly inClusterServer: string;
  /** Value of the annotation `operator.karmada.io/rotate`, not validated. */
  readonly rotate?: string;
  /** Whether a Pod of the Go operator may use the pair `karmada`, which must not be reissued then. */
  readonly holdsAdminPair?: true;
  /** Which identities certificates of components get; absent if they keep theirs. */
  readonly identities?: IdentityPolicy;
  /** URL for the admin kubeconfig; `unknown` until a node port or load balancer is allocated */
  readonly externalServer: string;
}

/** One certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Certificate authority (CA): active CA, successor CA and additionally trusted certificates. */
export interface Authority {
  readonly active: KeyPair;
  readonly successor?: KeyPair;
  /** Its predecessor, whose certificate is one of `trusted`. */
  readonly retired?: KeyPair;
  /** The CA that signs after the active one, as long as no bundle contains it. Only in the CA backup Secret. */
  readonly unpublished?: KeyPair;
  /** Leaf certificate of the predecessor that shows who still trusts it. Only in the CA backup Secret. */
  readonly probe?: KeyPair;
  /** Additionally trusted PEM certificates. */
  readonly trusted: readonly string[];
  readonly info: AuthorityInfo;
}

/** Keys that sign and verify ServiceAccount tokens. */
export interface ServiceAccountKeys {
  /** private key, PEM */
  readonly signing: string;
  /** public keys, PEM; the public key of `signing` comes first */
  readonly verifying: readonly string[];
  /** private key that signs next, PEM; only in the CA backup Secret */
  readonly successor?: string;
  /** private key that signed before, PEM; only in the CA backup Secret */
  readonly retired?: string;
  /** public key that a rotation replaces, PEM, for an abort of its last phase; only in the CA backup Secret */
  readonly former?: string;
}

/** All keys and certificates of one control plane. Kept in memory only while the operator builds the Secrets. */
export interface CertificateSet {
  readonly authorities: Readonly<Partial<Record<AuthorityName, Authority>>>;
  readonly leaves: Readonly<Partial<Record<LeafName, KeyPair>>>;
  readonly serviceAccount?: ServiceAccountKeys;
  /** CAs of the control plane certified by their predecessors (`cross-certificates.ts`), PEM, the newest first. */
  readonly cross?: readonly string[];
  /** Record of requested reissues (`reissue-record.ts`), as text. */
  readonly reissues?: string;
}

/** `data` of a Secret: base64 by key. */
export type SecretData = Readonly<Record<string, string>>;

/** Results of live reads by Secret role. A missing role counts as `unknown`. */
export type SecretReads = Readonly<Partial<Record<SecretRole, SecretData | 'absent' | 'unknown'>>>;

/** Cryptographically strong random bytes. */
export type RandomBytes = (count: number) => Uint8Array;
