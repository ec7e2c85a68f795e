import { describe, expect, it } from '@jest/globals';
import { manualClock, memoryLog, settle } from '../../../kubernetes/time/clock.fixture.ts';
import type { InformerGroup } from '../../../kubernetes/informers/informer-group.ts';
import { hashSecretValues } from '../../../kubernetes/objects/cache-transform.ts';
import { accessSecret } from '../../../member-clusters/estimator-kubeconfig.ts';
import { FakeApi } from '../../../member-clusters/api.fixture.ts';
import { karmadaOf } from '../../../instance/__fixtures__/instance.ts';
import { revokeMemberAccess, type RevokeTools } from './revoke-member-access.ts';

const OWNER = { name: 'karmada-demo', namespace: 'team' };

function environment(
  connect: RevokeTools['connect'],
  members: readonly string[] = ['m1'],
): { tools: RevokeTools; log: readonly string[] } {
  const host = new FakeApi();
  const secrets = members.map((member) =>
    host.put(
      accessSecret(OWNER, member, {
        server: `https://${member}`,
        insecure: false,
        token: 'narrow',
        narrow: true,
      }),
    ),
  );
  const cache = { byIndex: () => secrets.map(hashSecretValues) };
  const owned = [{ cache, isCompleteIn: () => true } as object as InformerGroup];
  const log = memoryLog();
  const tools = { host: { client: host.asClient(), owned }, clock: manualClock(), log, connect };
  return { tools, log: log.lines };
}

/** A member cluster that does not answer. */
function silentMember(): ReturnType<RevokeTools['connect']> {
  const silent = new FakeApi();
  silent.delete = async (_type, _key, ...rest: readonly unknown[]) => {
    const { signal } = rest[0] as { signal: AbortSignal };
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  };
  return silent.asClient();
}

describe('revokeMemberAccess', () => {
  it('removes the ClusterRole of the estimator with the token of its ServiceAccount', async () => {
    const member = new FakeApi();
    const isRequested: string[] = [];
    const { tools } = environment((endpoint) => {
      void endpoint
        .credentials()
        .then(({ headers }) => isRequested.push(headers['authorization'] ?? ''));
      return member.asClient();
    });
    await revokeMemberAccess(tools, karmadaOf());
    expect(member.calls).toHaveLength(1);
    expect(member.calls[0]).toMatch(/^delete ClusterRole karmada-demo-scheduler-estimator-/);
    expect(isRequested).toEqual(['Bearer narrow']);
  });

  it('logs a member cluster and returns when it is unreachable', async () => {
    const member = new FakeApi();
    member.failure = 'unreachable';
    const { tools, log } = environment(() => member.asClient());
    await revokeMemberAccess(tools, karmadaOf());
    expect(log.join()).toContain('member cluster is unreachable');
  });

  it('connects to 128 member clusters at once at most, and to none after three seconds', async () => {
    const clock = manualClock();
    let connections = 0;
    const members = Array.from({ length: 1_000 }, (_, index) => `m${String(index)}`);
    const { tools } = environment(() => {
      connections += 1;
      return silentMember();
    }, members);
    const leaving = revokeMemberAccess({ ...tools, clock }, karmadaOf());
    await settle();
    expect(connections).toBe(128);
    await clock.advance(3_100);
    await leaving;
    expect(connections).toBe(128);
  });

  it('gives up after three seconds when a member cluster does not answer', async () => {
    const clock = manualClock();
    const { tools, log } = environment(silentMember);
    let ended = false;
    const leaving = revokeMemberAccess({ ...tools, clock }, karmadaOf()).then(() => (ended = true));
    await clock.advance(2_900);
    expect(ended).toBe(false);
    await clock.advance(200);
    await settle();
    await leaving;
    expect(log.join()).toContain('did not answer within 3000 ms');
  });
});
