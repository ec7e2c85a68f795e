/** Words of this folder: what certificates are made from, and what they are kept as. */

export type AuthorityName = 'ca' | 'etcd-ca' | 'front-proxy-ca';

/** Components that talk to the Karmada API with a kubeconfig of their own, as in `N(<it>-config)`. */
export type ClientComponent =
  | 'aggregated-apiserver'
  | 'controller-manager'
  | 'kube-controller-manager'
  | 'scheduler'
  | 'webhook'
  | 'metrics-adapter'
  | 'descheduler'
  | 'search';

/** Components that serve TLS behind a Service with a pair of their own, as in `N(<it>-cert)`. */
export type ServingComponent =
  'webhook' | 'aggregated-apiserver' | 'metrics-adapter' | 'search' | 'scheduler-estimator';

export type LeafName =
  | 'karmada'
  | 'apiserver'
  | 'front-proxy-client'
  | 'etcd-server'
  | 'etcd-peer'
  | 'etcd-client'
  | 'admin-client'
  | `${ServingComponent}-serving`
  | `${ClientComponent}-client`;

/** Suffixes of the Secrets: the Secret of role `cert` is `N(cert)`. */
export type SecretRole =
  | 'cert'
  | 'etcd-cert'
  | 'service-account-key'
  | 'ca-backup'
  | 'admin-config'
  | `${ServingComponent}-cert`
  | `${ClientComponent}-config`;

/** Everything the certificates of one instance depend on, as plain values. */
export interface PkiInputs {
  /** `metadata.name` of the Karmada */
  readonly name: string;
  readonly namespace: string;
  /** `spec.hostCluster.networking.dnsDomain` */
  readonly dnsDomain: string;
  /** `spec.components.karmadaAPIServer.serviceSubnet`; two CIDRs joined by `,` for dual stack */
  readonly serviceSubnet: string;
  readonly etcd: 'local' | 'external';
  readonly addons: {
    readonly metricsAdapter: boolean;
    readonly search: boolean;
    readonly descheduler: boolean;
    readonly schedulerEstimator: boolean;
  };
  /** `spec.customCertificate.leafCertValidityDays`, 365 when unset */
  readonly leafValidityDays: number;
  /** `spec.customCertificate.apiServerCACert` is set: `ca` is the user's and gets no successor from us */
  readonly customAuthority: boolean;
  /** SANs of the user, as written in the spec */
  readonly extraSans: {
    readonly apiServer: readonly string[];
    readonly aggregatedAPIServer: readonly string[];
    readonly etcdServer: readonly string[];
    readonly etcdPeer: readonly string[];
  };
  /**
   * Node or balancer addresses the API server is reached by from outside. `unknown` (a read failed,
   * a balancer has no address yet) never takes an address out of a certificate.
   */
  readonly exposedAddresses: readonly string[] | 'unknown';
  /** URL of the API server inside the host cluster */
  readonly inClusterServer: string;
  /** URL for the admin kubeconfig; `unknown` until a port or balancer is allocated */
  readonly externalServer: string;
}

/** One certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate authority: who signs now, who will sign next, and who is trusted besides. */
export interface Authority {
  readonly active: KeyPair;
  readonly successor?: KeyPair;
  /** PEM certificates that stay in the bundle although we cannot sign with them. */
  readonly trusted: readonly string[];
}

/** Signs and verifies ServiceAccount tokens. */
export interface ServiceAccountKeys {
  /** private key, PEM */
  readonly signing: string;
  /** public keys, PEM; the one that belongs to `signing` comes first */
  readonly verifying: readonly string[];
}

/** All private and public material of one instance; lives only as long as one act. */
export interface CertificateSet {
  readonly authorities: Readonly<Partial<Record<AuthorityName, Authority>>>;
  readonly leaves: Readonly<Partial<Record<LeafName, KeyPair>>>;
  readonly serviceAccount?: ServiceAccountKeys;
}

/** `data` of a Secret: base64 by key. */
export type SecretData = Readonly<Record<string, string>>;

/** What a live read of each Secret gave; a role that is left out counts as `unknown`. */
export type SecretReads = Readonly<Partial<Record<SecretRole, SecretData | 'absent' | 'unknown'>>>;

/** Cryptographically strong random bytes. */
export type RandomBytes = (count: number) => Uint8Array;
