/**
 * The key of ServiceAccount tokens is rotated in control planes of stubs, with the real operator. Each API server accepts the
 * tokens of each other one at any time, and the private key that signs is never lost.
 *
 * @size medium
 * @job stubs
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { abortedIn, refused, rotateKey, storedKeys } from '../../stubs/kills/rotate-keys.ts';
import { runScenario, type Outcome, type Setting } from '../../stubs/kills/run-scenario.ts';
import { install, type Step } from '../../stubs/kills/scenario.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import type { Kills } from '../../stubs/operator/operator-process.ts';

const TIME_MS = 900_000;
let setting: Setting;

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  setting = { addresses, build };
}, 600_000);

afterAll(async () => {
  setting.addresses.release();
  await setting.build.remove();
});

type Seen = Awaited<ReturnType<typeof storedKeys>>;

/** Runs steps in a control plane with two API servers. @returns the keys before and after them */
async function run(
  steps: readonly Step[],
  kills?: Kills,
): Promise<Outcome & { readonly before: Seen; readonly after: Seen }> {
  const seen: Seen[] = [];
  const look: Step = {
    change: async (cluster) => seen.push(await storedKeys(cluster)),
    isDone: () => Promise.resolve(true),
    seen: () => Promise.resolve('its keys'),
  };
  const before = [install({ components: { karmadaAPIServer: { replicas: 2 } } })];
  const scenario = { title: 'a rotation', before, steps: [look, ...steps, look] };
  const outcome = await runScenario(scenario, setting, kills);
  const [first, last] = seen;
  if (first === undefined || last === undefined) throw new Error('the keys were not read');
  return { ...outcome, before: first, after: last };
}

/** Changes of Deployments, each of which restarts their Pods. */
const restarts = (points: readonly string[], deployment: string): number =>
  points.filter((point) => point.startsWith('PATCH') && point.endsWith(`/${deployment}`)).length;

/** What the Secrets have after a rotation: another key signs, its successor is trusted, and the former one is gone. */
function verifyRotated({ before, after, changedAuthorities }: Awaited<ReturnType<typeof run>>) {
  expect(before.verifies).toEqual([before.signs]);
  expect(after.verifies).toHaveLength(2);
  expect(after.verifies[0]).toBe(after.signs);
  expect(after.verifies).not.toContain(before.signs);
  expect(after.saved).toEqual(after.verifies.toSorted());
  expect(after.rotations).toBe(0);
  // Only the keys have changed, and no CA.
  expect(changedAuthorities.filter((place) => !place.endsWith('.pub'))).toEqual([]);
}

describe('the ServiceAccount key', () => {
  it(
    'is replaced with three restarts of the API servers and one of kube-controller-manager',
    async () => {
      const faults = new Set<string>();
      const outcome = await run(rotateKey('1', faults));
      expect([...faults]).toEqual([]);
      verifyRotated(outcome);
      expect(restarts(outcome.points, 'karmada-apiserver')).toBe(3);
      expect(restarts(outcome.points, 'karmada-kube-controller-manager')).toBe(1);
      const others = outcome.points.filter((point) => /(deployments|statefulsets)\//.test(point));
      expect(others).toHaveLength(4);
    },
    TIME_MS,
  );

  it(
    'is replaced when the operator is killed after each of its writes',
    async () => {
      const faults = new Set<string>();
      const of = /\/(secrets|deployments|serviceaccounts)(\/[^/]+)?(\?.*)?$/;
      const kills = { afterWrite: 1, of, eachProcess: true };
      const outcome = await run(rotateKey('1', faults), kills);
      expect([...faults]).toEqual([]);
      verifyRotated(outcome);
      // Records, Secrets, Deployments and the ServiceAccount.
      expect(outcome.killed).toBeGreaterThanOrEqual(18);
    },
    TIME_MS,
  );

  it(
    'stays when a rotation is aborted before the new key signs, and when one is refused',
    async () => {
      const faults = new Set<string>();
      const steps = [
        ...refused('ca/1', 'RotationUnsupported'),
        ...refused('service-account-key', 'RotationRequestInvalid'),
      ];
      const { before, after, points } = await run(steps);
      expect(after).toEqual(before);
      expect(points.filter((point) => !/karmadas\/|events/.test(point))).toEqual([]);
      const aborted = await run(abortedIn('Preparing', '1', faults));
      expect([...faults]).toEqual([]);
      expect(aborted.after.signs).toBe(aborted.before.signs);
      expect(aborted.after.rotations).toBe(0);
    },
    TIME_MS,
  );

  it(
    'signs again when a rotation is aborted after the new key has signed',
    async () => {
      const faults = new Set<string>();
      const { before, after } = await run(abortedIn('Switching', '1', faults));
      expect([...faults]).toEqual([]);
      expect(after.signs).toBe(before.signs);
      expect(after.verifies).toContain(before.signs);
      expect(after.rotations).toBe(0);
    },
    TIME_MS,
  );
});
