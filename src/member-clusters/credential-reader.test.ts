import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { ObjectKey, ResourceType } from '../kubernetes/objects/resources.ts';
import { CredentialReader, type CredentialSecret } from './credential-reader.ts';

const secretWith = (exp: number | undefined): KubernetesObject => {
  const claims = Buffer.from(JSON.stringify({ exp })).toString('base64url');
  const token = Buffer.from(`e30.${claims}.x`).toString('base64');
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'm1' }, data: { token } };
};

const at = (version: string, name = 'm1'): CredentialSecret => ({
  key: { namespace: 'karmada-cluster', name },
  version,
});

/** A reader of Secrets whose answers the test sets. */
function setUp(answer: () => Promise<KubernetesObject | undefined>) {
  const state = { answer, changes: 0, reads: [] as string[] };
  const clock = manualClock();
  const find = (_type: ResourceType, { name }: ObjectKey) => {
    state.reads.push(name);
    return state.answer();
  };
  const reader = new CredentialReader({
    client: { find } as Pick<KubernetesClient, 'find'>,
    clock,
    random: () => 0.5,
    log: memoryLog(),
    onChange: () => (state.changes += 1),
  });
  const seen = (...secrets: CredentialSecret[]): object =>
    Object.fromEntries(reader.expiries(secrets));
  return { state, clock, reader, seen };
}

describe('CredentialReader', () => {
  it('reads each version of a Secret once, and keeps the last expiry meanwhile', async () => {
    const { state, seen, clock, reader } = setUp(() => Promise.resolve(secretWith(100)));
    expect(seen(at('1'))).toEqual({ 'karmada-cluster/m1': 'pending' });
    await settle();
    expect([seen(at('1')), state.changes]).toEqual([{ 'karmada-cluster/m1': 100_000 }, 1]);
    await clock.advance(3_600_000);
    expect(state.reads).toEqual(['m1']);
    state.answer = () => Promise.resolve(secretWith(200));
    expect(seen(at('2'))).toEqual({ 'karmada-cluster/m1': 100_000 });
    await settle();
    expect([seen(at('2')), state.changes]).toEqual([{ 'karmada-cluster/m1': 200_000 }, 2]);
    reader.close();
  });

  it.each([
    ['does not exist', undefined],
    ['does not expire', secretWith(undefined)],
  ])('returns none for a Secret that %s', async (_, secret) => {
    const { seen, reader } = setUp(() => Promise.resolve(secret));
    seen(at('1'));
    await settle();
    expect(seen(at('1'))).toEqual({ 'karmada-cluster/m1': 'none' });
    reader.close();
  });

  it('repeats a failed read later, and requests no reconcile for the failure', async () => {
    const { state, seen, clock, reader } = setUp(() => Promise.reject(new Error('away')));
    seen(at('1'));
    await settle();
    expect([seen(at('1')), state.changes]).toEqual([{ 'karmada-cluster/m1': 'pending' }, 0]);
    state.answer = () => Promise.resolve(secretWith(100));
    await clock.advance(10_000);
    expect([seen(at('1')), state.changes]).toEqual([{ 'karmada-cluster/m1': 100_000 }, 1]);
    reader.close();
    expect(clock.pending()).toBe(0);
  });

  it('forgets Secrets that no Cluster uses any more', async () => {
    const { seen, clock, reader } = setUp(() => Promise.reject(new Error('away')));
    seen(at('1'), at('1', 'm2'));
    await settle();
    expect(seen(at('1', 'm2'))).toEqual({ 'karmada-cluster/m2': 'pending' });
    expect(seen()).toEqual({});
    expect(clock.pending()).toBe(0);
    reader.close();
  });
});
