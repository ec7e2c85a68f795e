/** Types of the certificate table in `inventory.ts`. */
import type { ExtendedUsage } from './public-info.ts';
import type { SanSet } from './sans.ts';
import type {
  AuthorityName,
  ClientComponent,
  LeafName,
  PkiInputs,
  SecretRole,
  ServingComponent,
} from './types.ts';

/** Consumer of a file: name suffix of a workload, or the users of the admin kubeconfig. */
export type Consumer = ClientComponent | ServingComponent | 'apiserver' | 'etcd' | 'users';

/**
 * Reload behavior of a consumer: watches the file, reads it at every TLS handshake, polls it (client-go,
 * every 5 minutes), needs a restart, or never reloads (inline data in a copied kubeconfig).
 */
type Reload = 'dynamic' | 'handshake' | 'file-poll' | 'restart' | 'never';

export interface Use {
  readonly component: Consumer;
  readonly as: string;
  readonly reload: Reload;
  /** Only Pods of former template revisions use it (`src/components/template-revision.ts`). */
  readonly isFormer?: true;
}

export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

/** Keys of a Secret that contain a certificate and its private key. */
export interface PairLocation {
  readonly secret: SecretRole;
  readonly certificate: string;
  readonly key: string;
}

export interface LeafSpec {
  readonly name: LeafName;
  readonly signer: AuthorityName;
  readonly subject: Subject;
  /** Subject with the group `system:masters`, which certificates of components have until they leave it. */
  readonly mastersSubject?: Subject;
  readonly usages: readonly ExtendedUsage[];
  readonly sans: (inputs: PkiInputs) => SanSet;
  readonly wanted: (inputs: PkiInputs) => boolean;
  /** Secrets with the pair; the operator reads the first. The admin pair is inline in its kubeconfig. */
  readonly stored: readonly PairLocation[];
  readonly uses: readonly Use[];
  /** Whether the chain to former CAs follows it, for clients that trust only these. */
  readonly isChained?: true;
}

export interface AuthoritySpec {
  readonly name: AuthorityName;
  readonly commonName: string;
  readonly wanted: (inputs: PkiInputs) => boolean;
  readonly stored: readonly PairLocation[];
  /** Consumers that trust its bundle. */
  readonly uses: readonly Use[];
}
