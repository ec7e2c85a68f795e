import { describe, expect, it } from '@jest/globals';
import { instanceName, secretNamesOf } from '../api/naming.ts';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import { INPUTS } from '../pki/fixture.test-data.ts';
import { secretRoles } from '../pki/secrets-read.ts';
import { presentSecretsOf } from './present-secrets.ts';

function setUp() {
  const clock = manualClock();
  const state = { names: ['other', instanceName(INPUTS.name, 'cert')], lists: 0 };
  const list = () => {
    state.lists += 1;
    const items = state.names
      .filter((name) => secretNamesOf(INPUTS.name).includes(name))
      .map((name) => ({ metadata: { name } }));
    return Promise.resolve({ items });
  };
  const client = { list } as never;
  return { clock, state, present: presentSecretsOf({ client, clock }, INPUTS) };
}

describe('presentSecretsOf', () => {
  it('lists the Secrets when it is called first, and not again for two seconds', async () => {
    const { clock, state, present } = setUp();
    expect(state.lists).toBe(0);
    const first = await present();
    state.names.push(instanceName(INPUTS.name, 'ca-backup'));
    await clock.advance(2_000);
    expect([[...first], await present(), state.lists]).toEqual([
      [instanceName(INPUTS.name, 'cert')],
      first,
      1,
    ]);
  });

  it('lists them again when the result is older, because a user may have restored some', async () => {
    const { clock, state, present } = setUp();
    await present();
    state.names.push(instanceName(INPUTS.name, 'ca-backup'));
    await clock.advance(2_001);
    expect(await present()).toContain(instanceName(INPUTS.name, 'ca-backup'));
    expect(state.lists).toBe(2);
  });

  it('looks for all Secrets with certificates', () => {
    const names = secretRoles(INPUTS).map((role) => instanceName(INPUTS.name, role));
    expect(secretNamesOf(INPUTS.name)).toEqual(expect.arrayContaining(names));
  });
});
