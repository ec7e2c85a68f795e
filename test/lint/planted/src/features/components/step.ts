import type { Plan } from './plan.ts';

export type Step = keyof Plan;
