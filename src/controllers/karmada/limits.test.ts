import { describe, expect, it } from '@jest/globals';
import { cacheProblem } from '../../host-clusters/probe-host.ts';
import { karmadaOf, NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import { planInstance } from '../../features/components/plan.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from '../../features/components/steps.ts';
import { assess } from './assess.ts';
import { statusOf } from './status.ts';
import { unreachedStatus } from '../../features/remote-host/unreached-status.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';

const INSTALLED: KarmadaStatus = { secretRef: { name: 'a', namespace: 'team' } };

function statusFor(snapshot: Snapshot): KarmadaStatus {
  const desired = wishOf();
  const states = stepStates(desired, snapshot);
  const assessment = assess({
    snapshot,
    desired,
    view: VIEW,
    certificateProblem: undefined,
    plan: planInstance({ snapshot, desired, states, blockedChanges: [] }, VIEW),
    outcome: { live: new Map(), problems: [], errors: [], blockedChanges: [], writes: 0 },
  });
  return statusOf(assessment, INSTALLED);
}

const running = snapshotOf(wishOf(), [...wishOf().steps]);

describe('status of a Karmada whose host cluster exceeds a limit', () => {
  it('has the reason HostLimitExceeded and Ready is Unknown when the cache overflows', () => {
    const overflow = 'Secrets are larger than 64 MiB together';
    const freshness = { state: 'fresh', resource: 'secrets' } as const;
    const full = { freshness, hasSynced: false, overflow, problem: undefined };
    const empty = { freshness, hasSynced: true, overflow: undefined, problem: undefined };
    const rights = { missingFor: () => [], suspect: () => undefined };
    const problem = cacheProblem({ informers: [empty, full], rights }, 'the host cluster at x');
    expect(problem).toEqual({
      reason: 'HostLimitExceeded',
      message: `the host cluster at x: ${overflow}`,
    });
    if (problem === undefined) return;
    const status = unreachedStatus(karmadaOf(), problem, { before: INSTALLED, now: NOW });
    expect(status).toMatchObject({
      phase: 'Degraded',
      conditions: [
        { type: 'Ready', status: 'Unknown', ...problem },
        { type: 'HostReachable', status: 'False', ...problem },
      ],
    });
  });
});

describe('status of a Karmada whose control plane exceeds a limit', () => {
  it('has the reason ControlPlaneLimitExceeded in Degraded and Ready is False when the cache overflows', () => {
    const message = 'CustomResourceDefinitions are larger than 16 MiB together';
    const problem = { reason: 'ControlPlaneLimitExceeded', message } as const;
    const controlPlane = { state: 'waiting', message, problem, objects: [] } as const;
    const status = statusFor({ ...running, controlPlane });
    expect(status.phase).toBe('Degraded');
    expect(status.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Failed', message }),
        expect.objectContaining({ type: 'Degraded', status: 'True', ...problem }),
        expect.objectContaining({ type: 'Stalled', status: 'True' }),
      ]),
    );
  });
});

describe('status of a Karmada on a host cluster whose role lacks RBAC permissions', () => {
  const missingRights = ['patch persistentvolumeclaims', 'list persistentvolumes'];
  const remote = {
    server: 'https://host.example.com',
    secret: 'team/host',
    hasNamespace: true,
    endpoint: 'https://host',
    namespaceLabels: {},
  };
  const warningIn = ({ conditions = [] }: KarmadaStatus): string => {
    const found = conditions.find(({ type }) => type === 'Warning');
    return `${found?.reason ?? ''}: ${found?.message ?? ''}`;
  };

  it.each<[string, Partial<Snapshot>, string]>([
    ['config/remote-host/rights.yaml', { remote }, 'the host cluster at https://host.example.com'],
    ['config/deploy/2-rights.yaml', {}, 'the cluster of the operator'],
  ])('warns of the missing permissions and names the file %s', (file, parts, at) => {
    const status = statusFor({ ...running, missingRights, ...parts });
    const warning = warningIn(status);
    expect(warning).toContain(
      `HostRightsMissing: ${at}: the operator lacks RBAC permissions to patch `,
    );
    expect(warning).toContain('persistentvolumeclaims, list persistentvolumes; ');
    expect(warning).toContain(`apply ${file}`);
    const without = statusFor({ ...running, missingRights: [], ...parts });
    expect(warningIn(without)).not.toContain('role');
  });
});
