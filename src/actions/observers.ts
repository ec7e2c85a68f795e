/** How a feature observes a control plane: what it reads for the snapshot, in stages. Nothing here decides or writes. */
import type { InstanceCache } from '../instance/instance-cache.ts';
import type { Snapshot } from '../instance/snapshot.ts';
import type { PkiInputs } from '../pki/types.ts';

/** What a feature adds to the snapshot, and the inputs of the certificates. */
export type Facts = Partial<Snapshot> & { readonly pki?: PkiInputs };

/** What the caches of the host cluster show. */
export type HostFacts = Facts & Pick<Snapshot, 'karmada' | 'host' | 'now'>;

/** The same, with the spec to apply. */
export type SpecFacts = HostFacts & Pick<Snapshot, 'spec'>;

/** @typeParam T clients and caches that the feature reads with */
export interface ObserveContext<T> {
  readonly tools: T;
  readonly instance: InstanceCache;
}

type Stage<T, Seen> = (context: ObserveContext<T>, seen: Seen) => Facts | Promise<Facts>;

type BackgroundStage<T> = (context: ObserveContext<T>, snapshot: Snapshot) => void;

/** Stages of an observation, in their order. @typeParam T see `ObserveContext` */
export interface Observers<T> {
  /** Probes the network, before the caches and the clock are read. */
  readonly probe?: (context: ObserveContext<T>) => Promise<void>;
  /** Finds the spec to apply, and what it depends on; one feature after the other, in their order of registration. */
  readonly spec?: Stage<T, HostFacts>;
  /** Reads what depends on the spec; all features at once. */
  readonly facts?: Stage<T, SpecFacts>;
  /** Reads what also depends on the Karmada API; all features at once. */
  readonly inside?: Stage<T, SpecFacts & Pick<Snapshot, 'controlPlane'>>;
  /** Starts or stops reads in the background, whose results later snapshots contain, before the plan is decided. */
  readonly beforePlan?: BackgroundStage<T>;
  /** The same after the plan was executed. */
  readonly afterPlan?: BackgroundStage<T>;
}
