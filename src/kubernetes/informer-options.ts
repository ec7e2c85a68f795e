import type { Reader } from './call-gate.ts';
import type { Selection } from './client-interface.ts';
import type { Clock, Log, Random } from './clock.ts';
import type { WatchTimes } from './freshness.ts';
import type { KeptOptions } from './limits.ts';
import type { KubernetesObject } from './object.ts';
import type { IndexFunction } from './store.ts';

export interface InformerOptions extends Selection, KeptOptions {
  readonly client: Reader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Cache transform of an object. Managed fields are always removed. */
  readonly transform?: (object: KubernetesObject) => KubernetesObject;
  /** Namespace that the objects concern, if the kind has none. */
  readonly concerns?: string;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  /** Time without data after which a watch fails, in milliseconds. Defaults to 75 s. */
  readonly silenceMs?: number;
  readonly watchTimes?: WatchTimes;
}
