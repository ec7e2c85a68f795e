/** What a row of the table of certificates says. */
import type { SanSet } from './sans.ts';
import type {
  AuthorityName,
  ClientComponent,
  LeafName,
  PkiInputs,
  SecretRole,
  ServingComponent,
} from './types.ts';

/** Who reads a file: the suffix of the workload's name, or whoever holds the admin kubeconfig. */
export type Consumer = ClientComponent | ServingComponent | 'apiserver' | 'etcd' | 'users';

/**
 * How a consumer notices new content: by watching the file, by reading it at every TLS handshake, by
 * polling it (client-go, 5 minutes), only when restarted, or never (inline data in a kubeconfig that
 * somebody copied).
 */
type Reload = 'dynamic' | 'handshake' | 'file-poll' | 'restart' | 'never';

export interface Use {
  readonly component: Consumer;
  readonly as: string;
  readonly reload: Reload;
}

export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

export type ExtendedUsage = 'serverAuth' | 'clientAuth';

/** Keys of one Secret that hold a pair. */
export interface PairLocation {
  readonly secret: SecretRole;
  readonly certificate: string;
  readonly key: string;
}

export interface LeafSpec {
  readonly name: LeafName;
  readonly signer: AuthorityName;
  readonly subject: Subject;
  readonly usages: readonly ExtendedUsage[];
  readonly sans: (inputs: PkiInputs) => SanSet;
  readonly wanted: (inputs: PkiInputs) => boolean;
  /** The first is the one it is read from; the admin pair lives inside its kubeconfig. */
  readonly stored: readonly PairLocation[];
  readonly uses: readonly Use[];
}

export interface AuthoritySpec {
  readonly name: AuthorityName;
  readonly commonName: string;
  readonly wanted: (inputs: PkiInputs) => boolean;
  readonly stored: readonly PairLocation[];
  /** Uses of its bundle as trust. */
  readonly uses: readonly Use[];
}
