import { describe, expect, it } from '@jest/globals';
import type { Change } from '../simulate-plan.ts';
import { planText } from '../plan-text.ts';
import { planView } from './plan-view.ts';

const webhook = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'team', name: 'demo-webhook' },
};
const change = (what: Change['what'], object: Change['object'] = webhook): Change => ({
  what,
  cluster: 'host',
  step: 'karmada-webhook',
  object,
});

const FACTS = {
  name: 'demo',
  namespace: 'team',
  from: { karmada: 'v1.17.1' },
  to: { karmada: 'v1.18.2' },
  restarted: new Map([['Deployment team/demo-webhook', ['demo-webhook-x']]]),
  next: [],
  issued: [],
  ungranted: [],
  backup: [],
  failure: [],
  remarks: [],
  suspended: false,
};

const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

describe('planView', () => {
  it('lists the changes by step, and the Pods that restart with the first change of a workload', () => {
    const works: Change = {
      ...change('remove', { ...crd, metadata: { name: 'works.work.karmada.io' } }),
      cluster: 'controlPlane',
    };
    const rounds = [[change('change'), works], [change('change')]];
    const view = planView({
      simulation: { rounds, blockedChanges: [], waiting: [] },
      facts: FACTS,
    });
    const deployment = {
      action: 'change',
      cluster: 'host',
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'team',
      name: 'demo-webhook',
    };
    expect(view).toMatchObject({ changed: true, versions: { to: { karmada: 'v1.18.2' } } });
    expect(view.steps).toEqual([
      {
        changes: [
          { ...deployment, restarts: ['demo-webhook-x'] },
          { action: 'remove', cluster: 'controlPlane', ...crd, name: 'works.work.karmada.io' },
        ],
      },
      { changes: [deployment] },
    ]);
  });

  it('says that the changes of a suspended Karmada follow later', () => {
    const simulation = { rounds: [[change('change')]], blockedChanges: [], waiting: [] };
    const facts = { ...FACTS, suspended: true };
    expect(planView({ simulation, facts })).toMatchObject({ changed: true, suspended: true });
    expect(planText(simulation, facts)).toContain(
      'Suspended: the operator changes nothing until spec.suspend is false; these changes follow then.\n',
    );
    expect(planText(simulation, FACTS)).not.toContain('Suspended');
  });

  it('has empty lists for a preview without changes', () => {
    const simulation = { rounds: [], blockedChanges: [], waiting: [] };
    const view = planView({ simulation, facts: FACTS });
    const lists = Object.values(view).filter((value) => Array.isArray(value));
    expect(view.changed).toBe(false);
    expect(lists).toHaveLength(9);
    expect(lists.flat()).toEqual([]);
  });
});
