/**
 * Alerts and dashboards in a real Prometheus. All times of the rules are divided by the same number.
 *
 * @size medium
 * @tier all
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CONTROL_PLANE } from '../../../scripts/dashboards/control-plane.ts';
import { FLEET } from '../../../scripts/dashboards/fleet.ts';
import { expressionsOf, substituted } from '../../../scripts/dashboards/panel.ts';
import { seriesIn } from '../../harness/prometheus/rules.ts';
import { GROUPS, operatorCases, type Case } from './alert-cases.ts';
import { alertGroups, AlertScene } from './alert-scene.ts';

jest.setTimeout(600_000);

const rules = (await alertGroups()).flatMap((group) => group.rules);

describe('alerts and dashboards', () => {
  let scene: AlertScene;
  const seen = new Set<string>();

  beforeAll(async () => {
    scene = await AlertScene.start();
    await scene.startOperator();
  });

  afterAll(() => scene.end());

  /** Expects that the alerts fire when their cause is made and are silent when it has ended. */
  async function expectAlerts(given: Case): Promise<void> {
    const all = Object.entries(given.alerts);
    await Promise.all(all.map(([alert, labels]) => scene.untilSilent(alert, labels)));
    await given.make();
    await Promise.all(all.map(([alert, labels]) => scene.untilFiring(alert, labels)));
    await given.end();
    await Promise.all(all.map(([alert, labels]) => scene.untilSilent(alert, labels)));
    for (const [alert] of all) seen.add(alert);
  }

  async function expectGroup(cases: readonly Case[]): Promise<void> {
    for (const one of cases) await expectAlerts(one);
  }

  it('fire alerts when their cause is made and are silent when it has ended', async () => {
    const runs = Object.values(GROUPS).map(async (group) => expectGroup(await group(scene)));
    await Promise.all(runs);
  });

  it('fire alerts while the operator is down or has no leader', async () => {
    await expectGroup(await operatorCases(scene));
  });

  it('make a cause for each alert', () => {
    expect([...seen].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it.each(seriesIn(...rules.map(({ expr }) => expr)))(
    'find the series %s of an alert',
    async (name) => {
      expect(await scene.prometheus.hasSeries(name)).toBe(true);
    },
  );

  describe.each([
    ['fleet', FLEET],
    ['control plane', CONTROL_PLANE],
  ])('dashboard: %s', (_, dashboard) => {
    const variables = { namespace: 'stored', name: 'stored', __rate_interval: '5s' };

    it.each(expressionsOf(dashboard))('has the valid expression %s', async (expression) => {
      await scene.prometheus.query(substituted(expression, variables));
    });

    it.each(seriesIn(...expressionsOf(dashboard)))('finds the series %s', async (name) => {
      expect(await scene.prometheus.hasSeries(name)).toBe(true);
    });
  });
});
