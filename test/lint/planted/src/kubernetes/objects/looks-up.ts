import type { Step } from '../../features/components/step.ts';

export type First = Step | 'first';
