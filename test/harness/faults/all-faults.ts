/** All faults of the suite `e2e/faults`. */
import { LATER_FAULTS } from './after-ready.ts';
import type { Fault } from './fault.ts';
import { FLAG_FAULTS } from './flags.ts';
import { FOREIGN_FAULTS } from './foreign.ts';
import { IMAGE_FAULTS } from './images.ts';
import { PLACEMENT_FAULTS } from './placement.ts';
import { SPEC_FAULTS } from './spec.ts';
import { VOLUME_FAULTS } from './volumes.ts';

interface FaultGroup {
  /** Heading in the documentation. */
  readonly title: string;
  readonly faults: readonly Fault[];
}

export const FAULT_GROUPS: readonly FaultGroup[] = [
  { title: 'Faulty images', faults: IMAGE_FAULTS },
  { title: 'Faulty flags', faults: FLAG_FAULTS },
  { title: 'Pods that are not created or scheduled', faults: PLACEMENT_FAULTS },
  { title: 'Faulty volumes and variables', faults: VOLUME_FAULTS },
  { title: 'Faulty Secrets, archives and foreign objects', faults: FOREIGN_FAULTS },
  { title: 'Faulty settings and versions', faults: SPEC_FAULTS },
  { title: 'Faults after the control plane was ready', faults: LATER_FAULTS },
];

export const FAULTS: readonly Fault[] = FAULT_GROUPS.flatMap(({ faults }) => faults);
