import type { Step } from '../reconcile/step.ts';

export type First = Step | 'first';
