/** Random histories of the model. */
import fc from 'fast-check';
import { ROTATION_AUTHORITIES, type RotationAuthority } from '../authority.ts';
import {
  ABORT_ANNOTATION,
  COMPLETE_ANNOTATION,
  confirmationOf,
  ROTATE_ANNOTATION,
} from '../requests.ts';
import { RULES, type RotationRules } from '../rules.ts';
import { violation } from './model-check.ts';
import { provide, provideWhatIsAsked } from './model-custom.ts';
import type { WorldOptions } from './model-options.ts';
import { replaceCertificates } from './model-edits.ts';
import { decide, execute, observe, type Seen } from './model-operator.ts';
import { World } from './model-world.ts';

export type Event =
  /** `most`: writes before a crash. `isLate`: it decides and acts on what was seen before the last events. */
  | {
      readonly kind: 'reconcile';
      readonly silent: readonly number[];
      readonly most: number;
      readonly isLate: boolean;
    }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'sync' | 'poll' | 'mergeLate'; readonly pod: number }
  /** All Pods restart with the present content. */
  | { readonly kind: 'rollOut' }
  /** Some reconciles without disturbances, slow or fast. */
  | { readonly kind: 'quiet' | 'burst' }
  | { readonly kind: 'restart'; readonly pod: number; readonly age: number }
  | { readonly kind: 'renew'; readonly agent: number }
  | { readonly kind: 'request' | 'abort' | 'complete' | 'withdraw' | 'replace' }
  /** The user provides the certificate of another CA, or also its private key, or takes the key back. */
  | { readonly kind: 'append' | 'swap' | 'retract' };

export interface History {
  readonly options: WorldOptions;
  readonly events: readonly Event[];
}

/** What others do to Secrets. */
type Edit = 'withdraw' | 'replace' | 'append' | 'swap' | 'retract';

const POD_EVENTS = ['sync', 'poll', 'mergeLate'] as const;
const pod = fc.nat(19);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('reconcile' as const),
      silent: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, fc.array(pod, { maxLength: 2 })),
      most: fc.oneof({ weight: 3, arbitrary: fc.constant(Infinity) }, fc.nat(3)),
      isLate: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(
        1_000,
        2_000,
        20_000,
        60_000,
        95_000,
        95_000,
        300_000,
        600_000,
        2_400_000,
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom(...POD_EVENTS), pod }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), pod, age: fc.nat(3) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('renew' as const), agent: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...([
          'request',
          'rollOut',
          'rollOut',
          'quiet',
          'quiet',
          'quiet',
          'abort',
          'complete',
          'withdraw',
          'replace',
          'replace',
          'append',
          'swap',
          'retract',
          'burst',
          'burst',
        ] as const),
      ),
    }),
  },
);

/** Histories of one of these authorities. */
export const histories = (
  authorities: readonly RotationAuthority[] = ROTATION_AUTHORITIES,
): fc.Arbitrary<History> =>
  fc.record({
    options: fc.record({
      authority: fc.constantFrom(...authorities),
      successor: fc.constantFrom('original', 'original', 'unpublished', 'short', 'missing'),
      keysMs: fc.constantFrom(0, 120_000),
      isCustom: fc.boolean(),
    }),
    events: fc.array(event, { minLength: 20, maxLength: 90, size: 'max' }),
  });

/** What is broken on purpose. */
export interface Broken extends Partial<RotationRules> {
  /** It writes whatever has changed since it decided. */
  readonly ignoresVersions?: true;
}

/** Time between the reconciles of a rest without events, in milliseconds. */
const QUIET_MS = { quiet: 100_000, burst: 1_000 } as const;

/** One control plane with its operator, which remembers nothing but what it saw last. */
export class Run {
  readonly world: World;
  readonly #rules: RotationRules;
  readonly #ignoresVersions: boolean;
  #seen: Seen;
  #requests = 0;
  /** What was wrong first. */
  violation: string | undefined;

  constructor(options: WorldOptions, { ignoresVersions, ...rules }: Broken = {}) {
    this.world = new World(options);
    this.#rules = { ...RULES, ...rules };
    this.#ignoresVersions = ignoresVersions === true;
    this.#seen = observe(this.world);
    this.#request();
  }

  happen(one: Event): void {
    try {
      this.#happen(one);
      this.violation ??= violation(this.world);
    } catch (error) {
      this.violation ??= String(error);
    }
  }

  #happen(one: Event): void {
    const { world } = this;
    if (one.kind === 'reconcile') return this.#reconcile(one);
    if (one.kind === 'pass') return world.pass(one.ms);
    if (one.kind === 'renew')
      return world.agents.slice(one.agent, one.agent + 1).forEach((agent) => world.renew(agent));
    if (one.kind === 'quiet' || one.kind === 'burst') return this.#quiet(QUIET_MS[one.kind]);
    if (one.kind === 'rollOut') return world.pods.forEach((pod) => world.restart(pod, 0));
    if ('pod' in one) return this.#disturb(one);
    return this.#askOrEdit(one.kind);
  }

  #askOrEdit(kind: 'request' | 'complete' | 'abort' | Edit): void {
    if (kind === 'request') this.#request();
    else if (kind === 'complete' || kind === 'abort') this.#confirm(kind);
    else this.#edit(kind);
  }

  #edit(kind: Edit): void {
    if (kind === 'withdraw') this.world.withdraw();
    else if (kind === 'replace') replaceCertificates(this.world);
    else if (kind === 'retract') this.world.user.hasKey = false;
    else provide(this.world, kind === 'swap');
  }

  #disturb(one: Extract<Event, { readonly pod: number }>): void {
    const { world } = this;
    const found = world.pods[one.pod % world.pods.length];
    if (found === undefined) return;
    if (one.kind === 'restart') world.restart(found, one.age);
    else world[one.kind](found);
  }

  #reconcile({ silent, most, isLate }: Extract<Event, { readonly kind: 'reconcile' }>): void {
    const { world } = this;
    const names = silent.map((index) => world.pods[index % world.pods.length]?.name ?? '');
    const before = this.#seen;
    this.#seen = observe(world, new Set(names));
    const seen = isLate ? before : this.#seen;
    const versions = this.#ignoresVersions ? this.#seen.versions : seen.versions;
    execute(world, decide(world, seen, this.#rules), { ...seen, versions }, most);
  }

  #quiet(ms: number): void {
    for (let count = 0; count < 4; count += 1) {
      this.#reconcile({ kind: 'reconcile', silent: [], most: Infinity, isLate: false });
      this.world.pass(ms);
    }
  }

  /** A new ID each time; the annotation of a request under way is not executed again. */
  #request(): void {
    this.#requests += 1;
    const value = `${this.world.authority}/${String(this.#requests)}`;
    this.world.annotations = { ...this.world.annotations, [ROTATE_ANNOTATION]: value };
  }

  #confirm(kind: 'abort' | 'complete'): void {
    const { world } = this;
    const record = world.backup.record;
    const [rotation] = record.rotations;
    if (rotation === undefined || (kind === 'complete' && rotation.phase !== 'Overlap')) return;
    const value = confirmationOf(kind, rotation, record).split('=').slice(1).join('=');
    const name = kind === 'abort' ? ABORT_ANNOTATION : COMPLETE_ANNOTATION;
    world.annotations = { ...world.annotations, [name]: value };
    if (kind === 'abort') return;
    for (const agent of world.agents) if (agent.leaf.root === rotation.from) agent.isGivenUp = true;
  }

  /** Reconciles without disturbances until nothing is under way. @returns number of reconciles */
  settle(): number {
    for (let count = 1; count < 150; count += 1) {
      this.happen({ kind: 'reconcile', silent: [], most: Infinity, isLate: false });
      const record = this.world.backup.record;
      if (
        record.rotations.length === 0 &&
        record.executed.includes(`rotate=${this.world.annotations[ROTATE_ANNOTATION] ?? ''}`)
      )
        return count;
      if (record.rotations[0]?.completion === 'awaited') this.#confirm('complete');
      provideWhatIsAsked(this.world);
      this.world.agents.forEach((agent) => this.world.renew(agent));
      this.happen({ kind: 'pass', ms: 240_000 });
    }
    return Infinity;
  }
}
