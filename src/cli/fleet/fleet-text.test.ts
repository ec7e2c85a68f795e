import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../api/karmada.ts';
import { palette } from '../program/text.ts';
import { fleetText } from './fleet-text.ts';
import { fleetView } from './fleet-view.ts';
import { failing, karmada, NOW, rolling, upgrading, VERSIONS } from './fleet.fixture.ts';

const SETTINGS = { palette: palette(false), now: NOW };
const text = (...karmadas: readonly Karmada[]): readonly string[] =>
  fleetText(fleetView(karmadas), SETTINGS).split('\n');

describe('fleetText', () => {
  it('shows a fleet at rest in a few lines', () => {
    expect(text(karmada('a'), karmada('b'))).toEqual([
      'Control planes: 2, 2 Ready',
      '├─ Phases: 2 Running',
      '├─ Operator rollout: none is pending',
      '├─ Failures: none',
      '└─ Versions',
      '   └─ 2 Karmada v1.18.2, Kubernetes v1.35.4, etcd 3.6.14',
      '',
    ]);
  });

  it('shows waves, upgrades, failures with their action, versions, and the slowest', () => {
    const names = ['p', 'q', 'r', 's'];
    expect(
      text(
        karmada('a'),
        ...names.map((name, n) => failing(name, n + 1)),
        rolling('b', 'Progressing', 2),
        rolling('c', 'Waiting'),
        rolling('d', 'Waiting'),
        rolling('e', 'Failed', 90),
        upgrading('f', 'karmada-apiserver', 30),
        { ...karmada('new', {}, { namespace: 'other' }), status: {} },
      ),
    ).toEqual([
      'Control planes: 11, 6 Ready, 5 not Ready',
      '├─ Phases: 5 Running, 4 Degraded, 1 Updating, 1 Pending',
      '├─ Operator rollout: 7 without a pending change, about 2 waves left after this one',
      '│  ├─ 2 wait for a later wave',
      '│  ├─ 1 in this wave',
      '│  └─ 1 failed',
      '├─ Upgrades',
      '│  └─ 1 from Karmada v1.17.1, Kubernetes v1.35.4, etcd 3.6.14 to Karmada v1.18.2, Kubernetes v1.35.4, etcd 3.6.14',
      '│     ├─ Phases: 1 Progressing',
      '│     └─ Steps: 1 karmada-apiserver',
      '├─ Failures',
      '│  └─ 4 ImagePullFailed: team/p, team/q, team/r, and 1 more',
      '│     ├─ To do: Check imageRepository, imageTag and spec.imagePullSecrets.',
      '│     └─ See: docs/operate/troubleshoot.md#components-and-pods',
      '└─ Versions',
      '   ├─ 9 Karmada v1.18.2, Kubernetes v1.35.4, etcd 3.6.14',
      '   ├─ 1 Karmada v1.17.1, Kubernetes v1.35.4, etcd 3.6.14',
      '   └─ 1 not running yet',
      '',
      'Slowest:',
      'NAMESPACE   NAME   PHASE      ACTIVITY                      SINCE   REASON            MESSAGE',
      'other       new    Pending    NotReady                      10h',
      'team        e      Running    OperatorRollout               90m     Failed',
      'team        f      Updating   Upgrade (karmada-apiserver)   30m     AsExpected',
      'team        s      Degraded   NotReady                      4m      ImagePullFailed   Pod s: image not found',
      'team        r      Degraded   NotReady                      3m      ImagePullFailed   Pod r: image not found',
      'team        q      Degraded   NotReady                      2m      ImagePullFailed   Pod q: image not found',
      'team        b      Running    OperatorRollout               2m      Progressing',
      'team        p      Degraded   NotReady                      60s     ImagePullFailed   Pod p: image not found',
      '',
    ]);
  });

  it('shows one wave in the singular, and reasons of a newer operator as they are', () => {
    const lines = text(rolling('a', 'Progressing'), rolling('b', 'Waiting'), rolling('c', 'Newer'));
    expect(lines).toContain(
      '├─ Operator rollout: 0 without a pending change, about 1 wave left after this one',
    );
    expect(lines).toContain('│  └─ 1 Newer');
  });

  it('prints no control characters of names, reasons and versions', () => {
    const versions = { ...VERSIONS, karmada: 'v1\u001b[31m' };
    const all = text(karmada('a', { versions }), rolling('b', 'x\u001b[2J')).join('');
    expect(all).not.toContain('\u001b');
  });
});
