/**
 * The components of a running control plane of stubs leave the group `system:masters`, with the real operator: one after the other,
 * each only while its user has the rules of its role, and none of them twice.
 *
 * @size medium
 * @job stubs
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IDENTITIES } from '../../../src/controlplane/rbac-rules.ts';
import { SWITCH_ORDER } from '../../../src/features/identities/decide-identities.ts';
import { UNASKED } from '../../../src/features/etcd-plan/etcd-health.ts';
import { resetClock } from '../../stubs/clock.ts';
import { loseRoles, mountOtherSecrets } from '../../stubs/kills/before-identities.ts';
import {
  clusterRole,
  repair,
  roleOf,
  takeRule,
  type Role,
} from '../../stubs/kills/component-roles.ts';
import { runScenario, type Outcome, type Setting } from '../../stubs/kills/run-scenario.ts';
import { NAMESPACE, type Scenario, type Step } from '../../stubs/kills/scenario.ts';
import {
  hold,
  inMasters,
  isSwitched,
  nothing,
  rest,
  secretOf,
  until,
  type Seen,
} from '../../stubs/kills/switch-identities.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import type { Kills } from '../../stubs/operator/operator-process.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';

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

type More = Pick<Scenario, 'between'> & { readonly kills?: Kills };

function run(
  title: string,
  steps: readonly Step[],
  { kills, ...more }: More = {},
): Promise<Outcome> {
  // Certificates of a new control plane must be valid for OpenSSL, which has the clock of this machine.
  resetClock();
  return runScenario({ title, before: [inMasters], steps, ...more }, setting, kills);
}

/** Secrets and workloads that the operator has written, in order. */
const written = ({ points }: Outcome): readonly string[] =>
  points.flatMap(
    (point) => /\/((?:secrets|deployments|statefulsets)\/.*)$/.exec(point)?.slice(1) ?? [],
  );

const NOT_READY = 'the control plane was not Ready';

function forgetUnready(faults: Set<string>): void {
  for (const fault of faults) if (fault.startsWith(NOT_READY)) faults.delete(fault);
}

function faultsOfChange(seen: Seen, component: string, identity: string): readonly string[] {
  return [
    identity === 'own' ? undefined : `${component} went back`,
    seen.record?.trial?.component === component ? undefined : `${component} is not recorded`,
    seen.unprepared.includes(component) ? `${component} was not prepared` : undefined,
  ].filter((fault) => fault !== undefined);
}

const refusalsIn = ({ condition }: Seen): readonly string[] =>
  condition?.reason === 'IdentityRefused' ? [condition.message] : [];

/** Notes the order in which certificates change, and what must not be. */
function watcher(): {
  readonly see: (seen: Seen) => void;
  readonly order: string[];
  readonly faults: Set<string>;
} {
  let before: Seen | undefined;
  const [order, faults]: [string[], Set<string>] = [[], new Set()];
  const see = (seen: Seen): void => {
    const changed = Object.entries(seen.identities).filter(
      ([component, one]) => before !== undefined && before.identities[component] !== one,
    );
    for (const [component, one] of changed) {
      order.push(component);
      for (const fault of faultsOfChange(seen, component, one)) faults.add(fault);
    }
    if (changed.length > 1) faults.add('several certificates have changed at once');
    for (const refusal of refusalsIn(seen)) faults.add(refusal);
    // The clock jumps.
    const isUnasked = seen.ready?.includes(UNASKED) === true;
    if (!seen.isReady && !isUnasked)
      faults.add(`${NOT_READY} (${seen.ready ?? 'of its generation'})`);
    before = seen;
  };
  return { see, order, faults };
}

const secretsOf = (components: readonly string[]): readonly string[] =>
  components.map((component) => `secrets/${secretOf(component)}`);

describe('components of a running control plane', () => {
  it(
    'leave system:masters one after the other, no Pod restarts, and the operator writes nothing afterwards',
    async () => {
      const { see, order, faults } = watcher();
      const changed = new Set<string>();
      const outcome = await run('a switch', [until(hold(null), isSwitched, see), rest(2, changed)]);
      expect([...faults]).toEqual([]);
      expect(order).toEqual(SWITCH_ORDER);
      // The operator records what it applies in another request.
      expect([...new Set(written(outcome))]).toEqual(secretsOf(SWITCH_ORDER));
      expect([...changed]).toEqual([]);
    },
    TIME_MS,
  );

  it.each<[string, NonNullable<Scenario['between']>]>([
    ['restored data have no roles', loseRoles],
    ['their Pods mount the Secrets of another installer', mountOtherSecrets],
  ])(
    'leave system:masters only when each is prepared: %s',
    async (title, between) => {
      const { see, order, faults } = watcher();
      await run(title, [until(hold(null), isSwitched, see)], { between });
      // The rollout of their workloads comes first.
      forgetUnready(faults);
      expect([...faults]).toEqual([]);
      expect(order).toEqual(SWITCH_ORDER);
    },
    TIME_MS,
  );

  it(
    'leave system:masters when the operator is killed after each of its writes',
    async () => {
      const { see, order, faults } = watcher();
      const of = /\/(secrets|karmadas)\/[^?]*(\?.*)?$/;
      const kills = { afterWrite: 1, of, eachProcess: true };
      const outcome = await run('a killed switch', [until(hold(null), isSwitched, see)], {
        kills,
      });
      // A new process says nothing before it has read everything.
      forgetUnready(faults);
      expect([...faults]).toEqual([]);
      expect(order).toEqual(SWITCH_ORDER);
      expect(new Set(written(outcome))).toEqual(new Set(secretsOf(SWITCH_ORDER)));
      expect(outcome.killed).toBeGreaterThanOrEqual(3 * SWITCH_ORDER.length);
    },
    TIME_MS,
  );
});

const ofComponent = (suffix: string): Role => clusterRole(`system:karmada:${suffix}`);

const says =
  (reason: string, ...texts: readonly string[]) =>
  ({ condition }: Seen): boolean =>
    condition?.reason === reason && texts.every((text) => condition.message.includes(text));

const isOwn =
  (component: string, one = 'own') =>
  ({ identities }: Seen): boolean =>
    identities[component] === one;

const all =
  (...conditions: readonly ((seen: Seen) => boolean)[]) =>
  (seen: Seen): boolean =>
    conditions.every((one) => one(seen));

describe('a component without a rule of its role', () => {
  it(
    'stays in the group, goes back in its first ten minutes, and never later',
    async () => {
      const [search, scheduler, webhook] = ['search', 'scheduler', 'webhook'].map(ofComponent);
      if (!search || !scheduler || !webhook) throw new Error('unreachable');
      const isOnTrial = ({ record }: Seen): boolean => record?.trial?.component === 'scheduler';
      const others = SWITCH_ORDER.filter((one) => one !== 'scheduler');
      const faults = new Set<string>();
      await run('missing rules', [
        // It is missing before: the others continue.
        until(takeRule(search, true), says('IdentityRoleChanged', 'search lacks')),
        until(hold(null), all(isOnTrial, isOwn('scheduler'), isOwn('search', 'system:masters'))),
        // It is missing in the first ten minutes.
        until(takeRule(scheduler, true), isOwn('scheduler', 'system:masters')),
        until(
          async (cluster) => {
            await repair(search)(cluster);
            await repair(scheduler)(cluster);
          },
          all(
            says('IdentityRefused', 'scheduler: stays in the group', 'resourcebindings'),
            ...others.map((one) => isOwn(one)),
          ),
        ),
        // The user tries again.
        until(hold('Keep'), ({ condition, record }) => !condition && !record),
        until(hold(null), isSwitched),
        // It is missing later.
        until(takeRule(webhook, true), says('IdentityRoleChanged', 'webhook lacks')),
        until(repair(webhook), isSwitched, (seen) => {
          if (!isOwn('webhook')(seen)) faults.add('webhook went back');
        }),
      ]);
      expect([...faults]).toEqual([]);
    },
    TIME_MS,
  );
});

describe('a component whose Secret is deleted', () => {
  it(
    'stays out of the group while others are in it',
    async () => {
      const faults = new Set<string>();
      const see = ({ identities: { descheduler = '' } }: Seen): void => {
        if (!['own', 'none'].includes(descheduler)) faults.add(`descheduler is in ${descheduler}`);
      };
      const isProved = ({ record }: Seen): boolean =>
        record?.proved?.includes('descheduler') === true;
      const key = { namespace: NAMESPACE, name: secretOf('descheduler') };
      await run('a deleted Secret', [
        until(hold(null), all(isProved, isOwn('scheduler', 'system:masters'))),
        until(
          ({ client }) => client.delete(resources.Secret, key),
          all(isProved, isOwn('descheduler')),
          see,
        ),
      ]);
      expect([...faults]).toEqual([]);
    },
    TIME_MS,
  );
});

/** A role of each component, and that of the group. */
const ROLES: readonly Role[] = [
  ...IDENTITIES.map(({ suffix }) => ofComponent(suffix)),
  clusterRole('system:karmada:components'),
  {
    type: resources.Role,
    key: { namespace: 'karmada-system', name: 'system:karmada:scheduler' },
  },
  {
    type: resources.Role,
    key: { namespace: 'kube-system', name: 'system:karmada:aggregated-apiserver' },
  },
];

describe('a role from which a rule is taken', () => {
  it(
    'is named with the rule within 30 seconds, and applied again',
    async () => {
      const seconds: Record<string, number> = {};
      const steps = ROLES.flatMap((role): readonly Step[] => {
        let [since, whole]: [number, unknown] = [0, undefined];
        const called = [role.key.namespace, role.key.name].filter(Boolean).join('/');
        return [
          {
            change: async (cluster) => {
              whole = (await roleOf(cluster, role))['rules'];
              since = Date.now();
              await takeRule(role)(cluster);
            },
            isDone: async (cluster) => {
              const { items } = await cluster.client.list(resources.Event, {
                namespace: NAMESPACE,
              });
              const notes = items.map((event) => String(event['note'] ?? ''));
              if (!notes.some((note) => note.includes(`${called} lacks `))) return false;
              seconds[called] ??= (Date.now() - since) / 1_000;
              const now = (await roleOf(cluster, role))['rules'];
              return JSON.stringify(now) === JSON.stringify(whole);
            },
            seen: async (cluster) => JSON.stringify(await roleOf(cluster, role)),
          },
        ];
      });
      await run('taken rules', [until(nothing, () => true), ...steps]);
      expect(Object.keys(seconds)).toHaveLength(ROLES.length);
      for (const [role, took] of Object.entries(seconds))
        expect({ role, isInTime: took < 30 }).toEqual({ role, isInTime: true });
    },
    TIME_MS,
  );
});
