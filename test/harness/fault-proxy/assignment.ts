/** Distributes faults over the installations of a suite so that together they cover all faults. Pure function. */
import { faultsOf, type Decision, type Fault, type Rule } from './faults.ts';

type Position = Pick<Decision, 'what' | 'sort' | 'occurrence'>;

/**
 * Latin square over the calls of an undisturbed installation. Each call gets one fault in one of the installations.
 * Consecutive calls go to different installations and get different faults, and so do consecutive calls of one
 * installation. Each fault of a sort is used if there are at least as many calls of that sort as faults.
 * @param calls calls of an undisturbed installation, in order
 * @param installs number of installations
 * @param seed rotates the faults; another seed assigns another fault to each call
 * @returns the rules of each installation
 */
export function shareOut(
  calls: readonly Position[],
  installs: number,
  seed: number,
): readonly (readonly Rule[])[] {
  const rules: Rule[][] = Array.from({ length: installs }, () => []);
  for (const sort of ['write', 'read', 'watch'] as const) {
    calls
      .filter((call) => call.sort === sort)
      .forEach(({ what, occurrence }, index) => {
        const install = index % installs;
        const fault = pick(faultsOf[sort], install + Math.floor(index / installs) + seed);
        rules[install]?.push({ what, occurrence, fault });
      });
  }
  return rules;
}

function pick(faults: readonly Fault[], index: number): Fault {
  const fault = faults[index % faults.length];
  if (fault === undefined) throw new Error('there are no faults');
  return fault;
}
