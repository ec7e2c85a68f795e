/** Options of the CRD archives. */
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import type { AddressesOf } from '../kubernetes/connection/addresses.ts';
import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { DownloadTimes } from './download-timeout.ts';
import type { MemoryLimits } from './memory-limits.ts';
import type { ProxySettings } from './proxies.ts';

export interface ArchivesOptions {
  readonly client: Pick<KubernetesClient, 'get'>;
  readonly secretPolicy: SecretPolicy;
  /** Addresses to which the operator may connect. */
  readonly addresses: AddressesOf;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absolute paths with archives in `cache/<sha256 of the URL>/crds.tar.gz`. The first match wins. */
  readonly ready: readonly string[];
  /** Absolute path of the directory for downloads. */
  readonly writable: string;
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  /** URL template for archives that `ready` does not contain, with `{release}`. Empty: the operator downloads none. */
  readonly archiveUrl: string;
  readonly times?: DownloadTimes;
  readonly memory?: MemoryLimits;
  /** Requests a reconcile of a Karmada object (`namespace/name`). */
  readonly onChange: (key: string) => void;
}
