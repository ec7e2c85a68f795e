/** What is known about the Service addresses of components, between reconciles. */
import type { Step } from '../components/component.ts';

/** Service address to probe for a step. */
export interface ProbeTarget {
  readonly step: Step;
  readonly address: string;
  readonly port: number;
}

/** Per step: the start of probing in monotonic milliseconds, or `open` if the step no longer waits. */
export type Reachability = ReadonlyMap<Step, number | 'open'>;
