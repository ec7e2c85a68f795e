/** All faults of the suite `e2e/faults`. */
import type { Fault } from './fault.ts';
import { FLAG_FAULTS } from './flags.ts';
import { FOREIGN_FAULTS } from './foreign.ts';
import { IMAGE_FAULTS } from './images.ts';
import { PLACEMENT_FAULTS } from './placement.ts';
import { SPEC_FAULTS } from './spec.ts';
import { VOLUME_FAULTS } from './volumes.ts';

export const FAULTS: readonly Fault[] = [
  ...IMAGE_FAULTS,
  ...FLAG_FAULTS,
  ...PLACEMENT_FAULTS,
  ...VOLUME_FAULTS,
  ...FOREIGN_FAULTS,
  ...SPEC_FAULTS,
];
