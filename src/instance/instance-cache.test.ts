import { describe, expect, it } from '@jest/globals';
import { InstanceCaches, type InstanceCache } from './instance-cache.ts';

const KEY = 'team/demo';

/** The memory of a control plane that is connected, and whose deletion has started. */
function setUp() {
  const closed: string[] = [];
  const closes = (name: string) => ({ close: async () => void closed.push(name) });
  const instances = new InstanceCaches();
  const known: Partial<InstanceCache> = {
    prepared: 'u-1/2',
    members: closes('members') as never,
    controlPlane: closes('control plane') as never,
    deletion: { started: 'u-1' },
    failingSince: 5,
  };
  Object.assign(instances.get(KEY), known);
  return { instances, closed };
}

describe('InstanceCaches', () => {
  it('closes all connections on a reset, and keeps what is known about the deletion and failures', async () => {
    const { instances, closed } = setUp();
    await instances.reset(KEY);
    expect(closed).toEqual(['members', 'control plane']);
    const kept = { deletion: { started: 'u-1' }, failingSince: 5 };
    expect(instances.peek(KEY)).toEqual({ key: KEY, settled: new Map(), ...kept });
  });

  it('creates nothing on a reset of an unknown control plane', async () => {
    const { instances } = setUp();
    await instances.reset('team/other');
    expect(instances.peek('team/other')).toBeUndefined();
  });

  it('keeps nothing of a Karmada that is gone', async () => {
    const { instances, closed } = setUp();
    await instances.forget(KEY);
    expect(closed).toEqual(['members', 'control plane']);
    expect(instances.peek(KEY)).toBeUndefined();
  });

  describe('rendered objects', () => {
    const rendered = { inputs: '', archive: {}, desired: {} } as never;

    /** Names of the control planes of which they are kept. */
    const keptOf = (instances: InstanceCaches): readonly string[] =>
      instances
        .all()
        .filter((instance) => instance.rendered !== undefined)
        .map(({ key }) => key);

    const reconciled = (instances: InstanceCaches, key: string): void => {
      instances.get(key).rendered = rendered;
    };

    it('are freed when a control plane was not reconciled between two looks', () => {
      const instances = new InstanceCaches();
      reconciled(instances, 'team/quiet');
      reconciled(instances, 'team/busy');
      instances.freeUnused();
      expect(keptOf(instances)).toEqual(['team/quiet', 'team/busy']);
      reconciled(instances, 'team/busy');
      instances.freeUnused();
      expect(keptOf(instances)).toEqual(['team/busy']);
    });

    it('are all freed at rest', () => {
      const instances = new InstanceCaches();
      reconciled(instances, 'team/a');
      instances.rest();
      expect(keptOf(instances)).toEqual([]);
    });

    it('are kept of the control planes that were reconciled last', () => {
      const instances = new InstanceCaches();
      for (let n = 0; n < 1_000; n += 1) reconciled(instances, `team/${String(n)}`);
      reconciled(instances, 'team/999');
      const kept = keptOf(instances);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([256, 'team/744', 'team/999']);
    });
  });
});
