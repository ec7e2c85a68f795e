/** Which faults the installs of a suite get, so that together they get all of them: pure. */
import { faultsOf, type Decision, type Fault, type Rule } from './faults.ts';

type Position = Pick<Decision, 'what' | 'sort' | 'occurrence'>;

/**
 * A Latin square over the calls of an undisturbed install. Every call gets one fault, in one of the installs; calls
 * that follow each other go to different installs and get different faults, and so do those of one install. Of each
 * sort of calls every fault is used, provided that there are as many calls of it as there are faults.
 * @param calls those of an undisturbed install, in their order
 * @param installs among how many to share them out
 * @param seed turns the faults, so that another seed gives each call another one
 * @returns the rules of each install
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
