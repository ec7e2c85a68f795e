import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../api/karmada.ts';
import { fleetView } from './fleet-view.ts';
import {
  condition,
  failing,
  karmada,
  READY,
  rolling,
  upgrading,
  VERSIONS,
} from './fleet.fixture.ts';

const many = (count: number, make: (name: string) => Karmada): readonly Karmada[] =>
  Array.from({ length: count }, (_, n) => make(`k${String(n)}`));

describe('fleetView', () => {
  it('counts control planes, those that are Ready, and phases, the most frequent first', () => {
    const pending = { ...karmada('new'), status: {} };
    const view = fleetView([failing('broken'), pending, ...many(3, karmada)]);
    expect(view).toMatchObject({ total: 5, ready: 3 });
    expect(view.phases).toEqual([
      { value: 'Running', count: 3 },
      { value: 'Degraded', count: 1 },
      { value: 'Pending', count: 1 },
    ]);
  });

  it('has empty lists without control planes', () => {
    expect(fleetView([])).toEqual({
      total: 0,
      ready: 0,
      phases: [],
      operatorRollout: { withoutChange: 0, reasons: [] },
      upgrades: [],
      failures: [],
      versions: [],
      slowest: [],
    });
  });

  it.each<[string, readonly string[], object]>([
    ['is pending nowhere', [], { withoutChange: 2, reasons: [] }],
    [
      'rolls in its last wave',
      ['Progressing'],
      { withoutChange: 2, reasons: [{ value: 'Progressing', count: 1 }], wavesLeft: 0 },
    ],
    [
      'has further waves, of which the last one is smaller',
      ['Progressing', 'Progressing', 'Waiting', 'Waiting', 'Waiting'],
      {
        withoutChange: 2,
        reasons: [
          { value: 'Waiting', count: 3 },
          { value: 'Progressing', count: 2 },
        ],
        wavesLeft: 2,
      },
    ],
    [
      'has stopped after a failure',
      ['Failed', 'Stopped', 'Stopped'],
      {
        withoutChange: 2,
        reasons: [
          { value: 'Stopped', count: 2 },
          { value: 'Failed', count: 1 },
        ],
      },
    ],
  ])('counts the states of an operator rollout that %s', (_, reasons, expected) => {
    const pending = reasons.map((reason, n) => rolling(`r${String(n)}`, reason));
    expect(fleetView([...many(2, karmada), ...pending]).operatorRollout).toEqual(expected);
  });

  it('groups upgrades by their versions, with their steps', () => {
    const view = fleetView([
      upgrading('a', 'karmada-apiserver'),
      upgrading('b', 'karmada-apiserver'),
      upgrading('c', 'karmada-scheduler'),
      karmada('d', { upgrade: { from: VERSIONS, to: { ...VERSIONS, karmada: 'v1.19.0' } } }),
    ]);
    expect(view.upgrades).toEqual([
      {
        from: { ...VERSIONS, karmada: 'v1.17.1' },
        to: VERSIONS,
        count: 3,
        steps: [
          { value: 'karmada-apiserver', count: 2 },
          { value: 'karmada-scheduler', count: 1 },
        ],
        phases: [{ value: 'Progressing', count: 3 }],
      },
      {
        from: VERSIONS,
        to: { ...VERSIONS, karmada: 'v1.19.0' },
        count: 1,
        steps: [],
        phases: [],
      },
    ]);
  });

  it('groups failures and blocked changes by reason, each control plane once', () => {
    const blocked = karmada('held', {
      conditions: [
        condition('Ready', 'True', 'ChangeBlocked'),
        condition('Stalled', 'True', 'DowngradeBlocked'),
      ],
    });
    const waiting = karmada('busy', { conditions: [condition('Ready', 'False', 'Progressing')] });
    const view = fleetView([blocked, failing('a'), failing('b'), waiting, karmada('c')]);
    expect(view.failures).toMatchObject([
      { reason: 'ImagePullFailed', severity: 'error', karmadas: ['team/a', 'team/b'] },
      { reason: 'DowngradeBlocked', severity: 'blocked', karmadas: ['team/held'] },
    ]);
    for (const { action, page } of view.failures) expect([action, page]).not.toContain(undefined);
  });

  it('counts versions, also of control planes that do not run yet', () => {
    const old = { ...VERSIONS, etcd: '3.5.35' };
    const view = fleetView([
      karmada('a', { versions: old }),
      ...many(2, karmada),
      { ...karmada('new'), status: { conditions: [READY] } },
    ]);
    expect(view.versions).toEqual([{ ...VERSIONS, count: 2 }, { ...old, count: 1 }, { count: 1 }]);
  });
});
