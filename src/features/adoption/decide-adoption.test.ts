import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { decideAdoption, type GoControlPlane } from './decide-adoption.ts';

const object = (kind: string, name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'team', uid: `uid of ${name}`, resourceVersion: '7' },
});

const FOUND: GoControlPlane = {
  karmada: { name: 'demo', namespace: 'team' },
  recognized: [
    object('Secret', 'demo-karmada-admin-config'),
    object('Service', 'demo-karmada-metrics-adapter'),
    object('Secret', 'demo-karmada-cert'),
  ],
  foreign: [],
  deployments: [object('Deployment', 'demo-karmada-webhook')],
  etcd: object('StatefulSet', 'demo-karmada-etcd'),
};

const running = { lease: 'other/karmada-operator', holder: 'go-1' };
const foreign = [object('Secret', 'demo-karmada-webhook-cert')];

describe('decideAdoption', () => {
  it('adopts nothing when the Go operator did not create the control plane', () => {
    expect(decideAdoption(undefined)).toEqual({ kind: 'none' });
  });

  it.each<[string, Partial<GoControlPlane>, string, RegExp]>([
    ['nobody has confirmed', {}, 'AdoptionPending', /restarts the Pods of .* demo-karmada-webhook/],
    ['the mode is DryRun', { mode: 'DryRun' }, 'AdoptionPending', /adoption=Automatic"$/],
    ['the mode is unknown', { mode: 'Yes' }, 'AdoptionPending', /must be Automatic, DryRun or/],
    ['nothing runs', { deployments: [] }, 'AdoptionPending', /restarts no Pod/],
    ['the mode is Never', { mode: 'Never', running }, 'AdoptionDisabled', /is Never/],
    [
      'the Go operator runs',
      { mode: 'Automatic', running, foreign },
      'GoOperatorRunning',
      /^Lease other\/karmada-operator: go-1 renews it/,
    ],
    [
      'a Secret belongs to another CA',
      { mode: 'Automatic', foreign },
      'AdoptionConflict',
      /^Secret team\/demo-karmada-webhook-cert:/,
    ],
  ])('waits when %s', (_, given, reason, message) => {
    const decision = decideAdoption({ ...FOUND, ...given });
    expect(decision).toMatchObject({ kind: 'wait', problem: { reason } });
    expect('problem' in decision && decision.problem.message).toMatch(message);
  });

  it('names the Pods of etcd, which keep running', () => {
    const decision = decideAdoption(FOUND);
    expect('problem' in decision && decision.problem.message).toContain(
      'the Pods of StatefulSet team/demo-karmada-etcd keep running',
    );
  });

  it('labels the Secret with the CAs last, because it marks what is left to adopt', () => {
    const decision = decideAdoption({ ...FOUND, mode: 'Automatic' });
    if (decision.kind !== 'adopt') throw new Error(JSON.stringify(decision));
    expect(
      decision.rounds.map((round) => round.map((action) => action.object.metadata.name)),
    ).toEqual([
      ['demo-karmada-admin-config', 'demo-karmada-metrics-adapter'],
      ['demo-karmada-cert'],
    ]);
    const [first = []] = decision.rounds;
    expect(first.map(({ labels }) => labels)).toEqual([
      expect.objectContaining({
        'app.kubernetes.io/name': 'karmada',
        'app.kubernetes.io/instance': 'demo',
      }),
      expect.objectContaining({ 'app.kubernetes.io/name': 'karmada-metrics-adapter' }),
    ]);
  });
});
