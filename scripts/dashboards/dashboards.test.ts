import { describe, expect, it } from '@jest/globals';
import { FAMILIES } from '../../src/metrics/control-plane-families.ts';
import { seriesIn } from '../../test/harness/prometheus/rules.ts';
import { dashboardFiles, stale } from '../deploy/generate.ts';
import { metricsPage } from '../docs/metrics-page.ts';
import { CONTROL_PLANE } from './control-plane.ts';
import { FLEET } from './fleet.ts';
import { expressionsOf, substituted } from './panel.ts';
import { grafanaDashboard } from './render.ts';

const page = await metricsPage();
const DASHBOARDS = [
  ['fleet', FLEET],
  ['control plane', CONTROL_PLANE],
] as const;

describe.each(DASHBOARDS)('dashboard: %s', (_, dashboard) => {
  const panels = dashboard.sections.flatMap((section) => section.panels);
  const rendered = grafanaDashboard(dashboard);

  it('uses only documented series of the operator', () => {
    const unknown = seriesIn(...expressionsOf(dashboard))
      .map((name) => name.replace(/_bucket$/, ''))
      .filter((name) => name.startsWith('karmada_operator_') && !page.includes(`\`${name}\``));
    expect(unknown).toEqual([]);
  });

  it('reads each panel and variable from the data source that the user selects', () => {
    const [source, ...variables] = rendered.templating?.list ?? [];
    expect(source).toMatchObject({ type: 'datasource', name: 'datasource', query: 'prometheus' });
    const read = [...variables, ...(rendered.panels ?? [])].filter(({ type }) => type !== 'row');
    expect(read.length).toBe(panels.length + dashboard.variables.length);
    for (const { datasource } of read as readonly { datasource: unknown }[])
      expect(datasource).toEqual({ type: 'prometheus', uid: '$datasource' });
  });

  it('places the panels next to each other without overlap', () => {
    const taken = (rendered.panels ?? []).flatMap(({ gridPos }) => {
      const { x = 0, y = 0, w = 0, h = 0 } = gridPos ?? {};
      return Array.from(
        { length: w * h },
        (_, n) => `${String(x + (n % w))}/${String(y + Math.floor(n / w))}`,
      );
    });
    expect(new Set(taken).size).toBe(taken.length);
    const ids = (rendered.panels ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('dashboard of the fleet', () => {
  /** Labels with a series for each control plane or one of its parts. */
  const OWNED = new Set<string>(['karmada_namespace', 'karmada_name', 'member', 'schedule']);

  it.each(
    FLEET.sections
      .flatMap(({ panels }) => panels)
      .flatMap((panel) => (panel.kind === 'graph' ? panel.queries : [panel]))
      .map(({ expr }) => expr)
      .filter((expr) => expr.includes('karmada_operator_control_plane_')),
  )('has a number of series without the number of control planes: %s', (expr) => {
    const [outer = ''] = /^\w+/.exec(expr) ?? [];
    const [, by = ''] = /^\w+ by \(([^)]*)\)/.exec(expr) ?? [];
    const isLimited = /^(top|bottom)k\(\d+, /.test(expr);
    const isSum = ['sum', 'count', 'min', 'max', 'time'].includes(outer);
    expect(isLimited || isSum).toBe(true);
    if (!isLimited) expect(by.split(', ').filter((label) => OWNED.has(label))).toEqual([]);
  });
});

describe('dashboard of a control plane', () => {
  it('selects the series of this control plane only', () => {
    for (const expr of expressionsOf(CONTROL_PLANE)) {
      const count = expr.split('karmada_operator_control_plane_').length - 1;
      const selected =
        expr.split('{karmada_namespace="$namespace",karmada_name="$name"').length - 1;
      expect([expr, selected]).toEqual([expr, count]);
    }
  });

  it('shows most families of the metrics', () => {
    const used = seriesIn(...expressionsOf(CONTROL_PLANE));
    const unused = Object.keys(FAMILIES).filter(
      (family) => !used.includes(`karmada_operator_control_plane_${family}`),
    );
    expect(unused).toEqual([
      'upgrade_step_start_timestamp_seconds',
      'backup_schedule_interval_seconds',
    ]);
  });
});

describe('substituted', () => {
  it('replaces known variables and keeps others', () => {
    expect(
      substituted('a{b="$name"}[$__rate_interval] $x', { name: 'n', __rate_interval: '5m' }),
    ).toBe('a{b="n"}[5m] $x');
  });
});

describe('dashboard files', () => {
  it('are up to date', async () => {
    const old = await stale(await dashboardFiles());
    expect(old.map((path) => `${path}: run npm run deploy`)).toEqual([]);
  });
});
