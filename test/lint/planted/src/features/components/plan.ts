import type { Step } from './step.ts';

export interface Plan {
  readonly next: Step;
}
