/**
 * The key of ServiceAccount tokens and CAs are rotated in control planes of stubs, with the real operator. At any time, each API
 * server accepts the tokens of each other one, each aggregated API server accepts the calls of API servers, and etcd accepts its
 * clients. The private key that signs is never lost.
 *
 * @size medium
 * @job stubs
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CATALOG } from '../../../src/api/component-catalog.ts';
import type { KarmadaSpec } from '../../../src/api/karmada.ts';
import { restartCounts } from '../../../src/cli/changes/rotate-authorities.ts';
import type { RotationAuthority } from '../../../src/features/rotation/authority.ts';
import { resetClock } from '../../stubs/clock.ts';
import { storedCa, watchCa, type RotatedCa } from '../../stubs/kills/rotate-cas.ts';
import { customCa } from '../../stubs/kills/custom-ca.ts';
import { storedKeys, watchKeys } from '../../stubs/kills/rotate-keys.ts';
import {
  abortedIn,
  abortedLate,
  confirmed,
  provided,
  refused,
  rotated,
  type Watched,
} from '../../stubs/kills/rotation-steps.ts';
import {
  runScenario,
  untilQuiet,
  type Outcome,
  type Setting,
} from '../../stubs/kills/run-scenario.ts';
import {
  adoptedEtcd,
  install,
  installRemotely,
  type Scenario,
  type Step,
} from '../../stubs/kills/scenario.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import type { Kills } from '../../stubs/operator/operator-process.ts';
import type { StubCluster } from '../../stubs/stub-cluster.ts';

const TIME_MS = 900_000;
const SPEC: KarmadaSpec = { components: { karmadaAPIServer: { replicas: 2 } } };
let setting: Setting;

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  setting = { addresses, build };
}, 600_000);

afterAll(async () => {
  setting.addresses.release();
  await setting.build.remove();
});

/** How a control plane differs from one with two API servers. */
interface Disturbed {
  readonly kills?: Kills;
  readonly spec?: KarmadaSpec;
  /** What happens before. */
  readonly first?: Scenario;
}

const installed = (spec: KarmadaSpec): Scenario => ({
  title: 'a rotation',
  before: [install(spec)],
  steps: [],
});

type Compared<T> = Outcome & { readonly before: T; readonly after: T };

/** Runs steps in a control plane. @returns what `read` finds before and after them */
async function runWith<T>(
  read: (cluster: StubCluster) => Promise<T>,
  steps: readonly Step[],
  { kills, spec = SPEC, first = installed(spec) }: Disturbed = {},
): Promise<Compared<T>> {
  resetClock();
  const seen: T[] = [];
  const look: Step = {
    async change(cluster) {
      await untilQuiet(cluster);
      seen.push(await read(cluster));
    },
    isDone: () => Promise.resolve(true),
    seen: () => Promise.resolve('its keys'),
  };
  const scenario = { ...first, steps: [...first.steps, look, ...steps, look] };
  const outcome = await runScenario(scenario, setting, kills);
  const [before, after] = seen;
  if (before === undefined || after === undefined) throw new Error('the keys were not read');
  return { ...outcome, before, after };
}

const run = runWith<Awaited<ReturnType<typeof storedKeys>>>;

const OF_WORKLOAD = /\/(?:deployments|statefulsets)\/karmada-([a-z-]+)$/;

/** Writes of the workloads of each component, each of which restarts their Pods. */
function restartsIn(points: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const point of points) {
    const [, suffix] = OF_WORKLOAD.exec(point) ?? [];
    if (suffix === undefined) continue;
    const name = CATALOG.find((one) => one.suffix === suffix)?.name ?? suffix;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** What the kubectl plugin says before it requests a rotation. */
const previewOf = (
  authority: RotationAuthority,
  spec: KarmadaSpec = SPEC,
): Readonly<Record<string, number>> => Object.fromEntries(restartCounts({ spec }, authority));

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

const KEY = 'service-account-key/1';

describe('the ServiceAccount key', () => {
  it(
    'is replaced with three restarts of the API servers and one of kube-controller-manager',
    async () => {
      const faults = new Set<string>();
      const outcome = await run(storedKeys, confirmed(KEY, watchKeys(faults)));
      expect([...faults]).toEqual([]);
      verifyRotated(outcome);
      expect(restartsIn(outcome.points)).toEqual(previewOf('service-account-key'));
    },
    TIME_MS,
  );

  it(
    'is replaced when the operator is killed after each of its writes',
    async () => {
      const faults = new Set<string>();
      const of = /\/(secrets|deployments|serviceaccounts)(\/[^/]+)?(\?.*)?$/;
      const kills = { afterWrite: 1, of, eachProcess: true };
      const outcome = await run(storedKeys, confirmed(KEY, watchKeys(faults)), { kills });
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
      const steps = [...refused('service-account-key', 'RotationRequestInvalid')];
      const { before, after, points } = await run(storedKeys, steps);
      expect(after).toEqual(before);
      expect(points.filter((point) => !/karmadas\/|events/.test(point))).toEqual([]);
      const aborted = await run(
        storedKeys,
        abortedIn('Preparing', 'service-account-key', watchKeys(faults)),
      );
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
      const { before, after } = await run(
        storedKeys,
        abortedIn('Switching', 'service-account-key', watchKeys(faults)),
      );
      expect([...faults]).toEqual([]);
      expect(after.signs).toBe(before.signs);
      expect(after.verifies).toContain(before.signs);
      expect(after.rotations).toBe(0);
    },
    TIME_MS,
  );

  it(
    'verifies again when the last phase of a rotation is aborted, until a user ends that',
    async () => {
      const faults = new Set<string>();
      const outcome = await run(storedKeys, abortedLate('service-account-key', watchKeys(faults)));
      expect([...faults]).toEqual([]);
      verifyRotated(outcome);
    },
    TIME_MS,
  );
});

type ComparedCa = Compared<Awaited<ReturnType<ReturnType<typeof storedCa>>>>;

/** What there is after a rotation: another CA signs, its successor is trusted, and nothing has or names the former one. */
function verifyReplaced({ before, after }: ComparedCa): void {
  const [former = '', successor = ''] = before.trusted;
  expect(before.trusted).toEqual([former, successor]);
  expect(before.signs).toBe(former);
  expect(after.signs).toBe(successor);
  expect(after.trusted).toHaveLength(2);
  expect(after.trusted[0]).toBe(successor);
  expect(after.trusted).not.toContain(former);
  expect(after.saved).toEqual(after.trusted.toSorted());
  expect(after.published.length).toBeGreaterThan(0);
  for (const published of after.published) expect(published).toEqual(after.trusted.toSorted());
  // No leaf of the former CA is left.
  expect(after.places).toEqual(before.places);
  expect(after.rotations).toBe(0);
}

/** Agents have copies of `ca`, so a user ends its overlap. */
const rotatedBy = (ca: RotatedCa, watched: Watched): readonly Step[] =>
  ca === 'ca' ? confirmed(`${ca}/1`, watched) : rotated(`${ca}/1`, watched);

interface Control {
  readonly spec: KarmadaSpec;
  /** Paths of the writes after which the operator is killed. */
  readonly written: RegExp;
  /** Number of etcd members that restart, one after the other. */
  readonly members: number;
}

const OBJECTS = 'secrets|deployments|statefulsets|configmaps|persistentvolumeclaims|pods';
/** A request is approved only by the process that has created it, so that none may always end in between. */
const REQUESTS = String.raw`certificatesigningrequests/[^/]+(/approval)?`;
const WRITTEN = new RegExp(String.raw`/((${OBJECTS})(/[^/]+)?|${REQUESTS})(\?.*)?$`);

const withMembers = (replicas: number): KarmadaSpec => ({
  components: { ...SPEC.components, etcd: { local: { replicas } } },
});

const CASES: readonly (readonly [RotatedCa, Control])[] = [
  ['front-proxy-ca', { spec: SPEC, written: WRITTEN, members: 0 }],
  ['ca', { spec: SPEC, written: WRITTEN, members: 0 }],
  ['etcd-ca', { spec: withMembers(3), written: WRITTEN, members: 3 }],
];

async function verifyRotation(
  ca: RotatedCa,
  { spec, members }: Control,
  first = installed(spec),
): Promise<void> {
  const faults = new Set<string>();
  const outcome = await runWith(storedCa(ca), rotatedBy(ca, watchCa(ca, faults)), { spec, first });
  expect([...faults]).toEqual([]);
  verifyReplaced(outcome);
  // kube-controller-manager signs with a file of exactly one certificate.
  const own = ca === 'ca' ? / (signing-)?ca\.crt$/ : new RegExp(` ${ca}`);
  expect(outcome.changedAuthorities.filter((place) => !own.test(place))).toEqual([]);
  expect(restartsIn(outcome.points)).toEqual(previewOf(ca, spec));
  const deleted = outcome.points.filter((point) => /^DELETE .*\/pods\//.test(point));
  expect(new Set(deleted).size).toBe(members);
  expect(deleted).toHaveLength(members);
}

/** As `installed`, and the operator reaches its Pods only by port-forwards. */
const installedRemotely = (spec: KarmadaSpec): Scenario => ({
  ...installed(spec),
  before: [installRemotely(spec)],
});

describe('in a remote host cluster', () => {
  it.each(CASES)(
    '%s is replaced with the restarts that the preview of the kubectl plugin names',
    (ca, control) => verifyRotation(ca, control, installedRemotely(control.spec)),
    TIME_MS,
  );

  it(
    'the ServiceAccount key is replaced',
    async () => {
      const faults = new Set<string>();
      const first = installedRemotely(SPEC);
      const outcome = await run(storedKeys, confirmed(KEY, watchKeys(faults)), { first });
      expect([...faults]).toEqual([]);
      verifyRotated(outcome);
    },
    TIME_MS,
  );
});

describe('etcd-ca of one member', () => {
  it(
    'is replaced with the restarts that the preview of the kubectl plugin names',
    () => verifyRotation('etcd-ca', { spec: SPEC, written: WRITTEN, members: 1 }),
    TIME_MS,
  );
});

describe('etcd-ca of an adopted etcd', () => {
  it(
    'is replaced after the last step of the adoption',
    async () => {
      const faults = new Set<string>();
      const steps = rotatedBy('etcd-ca', watchCa('etcd-ca', faults));
      const outcome = await runWith(storedCa('etcd-ca'), steps, { first: adoptedEtcd(3) });
      expect([...faults]).toEqual([]);
      verifyReplaced(outcome);
    },
    TIME_MS,
  );
});

describe('ca with completion: Automatic', () => {
  it(
    'is replaced without a confirmation, after the overlap of the spec',
    async () => {
      const faults = new Set<string>();
      const rotation = { completion: 'Automatic', overlap: '10m' } as const;
      const steps = rotated('ca/1', watchCa('ca', faults));
      const spec = { ...SPEC, certificates: { rotation } };
      const outcome = await runWith(storedCa('ca'), steps, { spec });
      expect([...faults]).toEqual([]);
      verifyReplaced(outcome);
    },
    TIME_MS,
  );
});

/** What there is after a rotation to a custom CA: it has no successor. */
function verifyProvided(
  { before, after, changedAuthorities }: ComparedCa,
  roots: readonly string[],
) {
  const [former, next] = roots;
  expect(before).toMatchObject({ signs: former, trusted: [former], saved: [former] });
  expect(after).toMatchObject({ signs: next, trusted: [next], saved: [next], rotations: 0 });
  expect(after.published.length).toBeGreaterThan(0);
  for (const published of after.published) expect(published).toEqual([next]);
  // No leaf of the former CA is left.
  expect(after.places).toEqual(before.places);
  expect(changedAuthorities.filter((place) => !/ (signing-)?ca\.crt$/.test(place))).toEqual([]);
}

describe('a custom ca', () => {
  it(
    'is replaced when a user appends a certificate to its Secret, and later swaps the private key',
    async () => {
      const faults = new Set<string>();
      const { first, roots, append, swap, spec } = await customCa();
      const steps = provided('ca/1', { append, swap }, watchCa('ca', faults, 1));
      const outcome = await runWith(storedCa('ca'), steps, { first: first(SPEC) });
      expect([...faults]).toEqual([]);
      verifyProvided(outcome, roots);
      expect(restartsIn(outcome.points)).toEqual(previewOf('ca', { ...SPEC, ...spec }));
    },
    TIME_MS,
  );

  it(
    'is replaced when its Secret changes at once, and the operator is killed after each of its writes',
    async () => {
      const faults = new Set<string>();
      const { first, roots, replace: swap } = await customCa();
      const kills = { afterWrite: 1, of: WRITTEN, eachProcess: true };
      const steps = provided('ca/1', { swap }, watchCa('ca', faults, 1));
      const outcome = await runWith(storedCa('ca'), steps, { kills, first: first(SPEC) });
      expect([...faults]).toEqual([]);
      verifyProvided(outcome, roots);
      // Records and Secrets at least.
      expect(outcome.killed).toBeGreaterThanOrEqual(14);
    },
    TIME_MS,
  );
});

describe.each(CASES)('%s', (ca, control) => {
  const { spec, written } = control;

  it(
    'is replaced with the restarts that the preview of the kubectl plugin names',
    () => verifyRotation(ca, control),
    TIME_MS,
  );

  it(
    'is replaced when the operator is killed after each of its writes',
    async () => {
      const faults = new Set<string>();
      const kills = { afterWrite: 1, of: written, eachProcess: true };
      const steps = rotatedBy(ca, watchCa(ca, faults));
      const outcome = await runWith(storedCa(ca), steps, { kills, spec });
      expect([...faults]).toEqual([]);
      verifyReplaced(outcome);
      // Records and Secrets at least.
      expect(outcome.killed).toBeGreaterThanOrEqual(14);
    },
    TIME_MS,
  );

  it(
    'stays when a rotation is aborted before and after its successor has signed',
    async () => {
      const faults = new Set<string>();
      for (const phase of ['Preparing', 'Switching']) {
        const steps = abortedIn(phase, ca, watchCa(ca, faults));
        const { before, after } = await runWith(storedCa(ca), steps, { spec });
        expect([...faults]).toEqual([]);
        expect(after).toEqual(before);
      }
    },
    TIME_MS,
  );

  it(
    'is trusted again when the last phase is aborted, until a user ends that',
    async () => {
      const faults = new Set<string>();
      const steps = abortedLate(ca, watchCa(ca, faults));
      const outcome = await runWith(storedCa(ca), steps, { spec });
      expect([...faults]).toEqual([]);
      verifyReplaced(outcome);
    },
    TIME_MS,
  );
});
