/** Generates Karmadas and collects their verdicts. */
import fc from 'fast-check';

import type { Karmada } from '../../../src/api/karmada.ts';
import { API_VERSION, KIND } from '../../../src/api/karmada.ts';
import { Generator } from './generator.ts';
import { judge, type Court, type Verdict } from './judge.ts';
import { mutated, mutation } from './mutations.ts';
import type { Case } from './plan.ts';
import { repaired } from './repair.ts';
import { KARMADA_NAMES } from './values.ts';

const AT_ONCE = 8;
/** Time limit for shrinking a failing object. */
const SHRINK_MS = 120_000;

export const LONG_NAMESPACE = 'n'.repeat(63);

export function karmada(name: string, namespace: string, spec: object): Karmada {
  return { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace }, spec };
}

export interface Outcome {
  readonly karmada: Karmada;
  readonly verdict: Verdict;
}

const generator = new Generator();

function objects({ changes, wanted }: Case, caData: string): fc.Arbitrary<Karmada> {
  return fc
    .record({
      name: fc.constantFrom(...KARMADA_NAMES),
      namespace: fc.constantFrom('default', LONG_NAMESPACE),
      spec: generator.spec(wanted),
      mutations: fc.array(mutation(generator.spec([])), { minLength: changes, maxLength: changes }),
    })
    .map(({ name, namespace, spec, mutations }) => {
      const sensible = withAuthority(repaired(spec, name), caData);
      return karmada(name, namespace, mutated(sensible, mutations));
    });
}

/** Replaces CA bundles by real certificates. */
function withAuthority(spec: object, caData: string): Readonly<Record<string, unknown>> {
  const caBundle = Buffer.from(caData).toString('base64');
  const replace = (key: string, value: unknown): unknown => (key === 'caBundle' ? caBundle : value);
  return JSON.parse(JSON.stringify(spec, replace)) as Record<string, unknown>;
}

/**
 * Verdict on one generated object.
 * @throws Error with the smallest failing object
 */
async function run(court: Court, one: Case): Promise<Outcome> {
  let outcome: Outcome | undefined;
  const property = fc.asyncProperty(objects(one, court.caBundle), async (object) => {
    const verdict = await judge(court, object);
    if (verdict.kind === 'refused' && one.changes === 0) {
      throw new Error(`The CRD rejects a sensible object: ${verdict.message}`);
    }
    outcome ??= { karmada: object, verdict };
  });
  const details = await fc.check(property, {
    seed: one.seed,
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_MS,
  });
  if (outcome && !details.failed) return outcome;
  const [smallest] = details.counterexample ?? [];
  throw new Error(`${String(details.errorInstance)}\n${JSON.stringify(smallest, undefined, 1)}`);
}

/** Runs all cases with limited concurrency; collects failures instead of throwing. */
export async function runAll(
  court: Court,
  cases: readonly Case[],
): Promise<{ readonly outcomes: readonly Outcome[]; readonly faults: readonly string[] }> {
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  const queue = [...cases];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { seed } = next;
      await run(court, next).then(
        (outcome) => outcomes.push(outcome),
        (error: unknown) => faults.push(`object ${seed}: ${(error as Error).message}`),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { outcomes, faults };
}
