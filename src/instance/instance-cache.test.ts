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
});
