/** Renders dashboards to the JSON of Grafana. */
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { Dashboard, Panel } from './panel.ts';

/** The data source that the user selects. */
const SOURCE = { type: 'prometheus', uid: '$datasource' } as const;

/** Columns of 24. */
const WIDTH = { stat: 4, graph: 8, table: 8 } as const;
const HEIGHT = { stat: 4, graph: 8, table: 8 } as const;

type Of<K extends Panel['kind']> = Extract<Panel, { readonly kind: K }>;

const query = (expr: string): DataqueryBuilder => new DataqueryBuilder().expr(expr).range();

function statPanel({ expr, alarm }: Of<'stat'>): stat.PanelBuilder {
  const builder = new stat.PanelBuilder()
    .withTarget(query(expr))
    .noValue('unknown')
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  if (alarm === undefined) return builder;
  const [below, from] = alarm.isMinimum === true ? ['red', 'green'] : ['green', 'red'];
  return builder.thresholds(
    new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps([
      { value: null, color: below ?? '' },
      { value: alarm.value, color: from ?? '' },
    ]),
  );
}

function graphPanel({ queries, isStacked }: Of<'graph'>): timeseries.PanelBuilder {
  const builder = new timeseries.PanelBuilder()
    .min(0)
    .legend(new common.VizLegendOptionsBuilder().showLegend(true))
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi));
  for (const { expr, legend } of queries)
    builder.withTarget(legend === undefined ? query(expr) : query(expr).legendFormat(legend));
  if (isStacked !== true) return builder;
  return builder
    .fillOpacity(30)
    .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal));
}

function tablePanel({ expr, columns, value }: Of<'table'>): table.PanelBuilder {
  const titles = value === undefined ? {} : { Value: value };
  return new table.PanelBuilder()
    .withTarget(new DataqueryBuilder().expr(expr).format(PromQueryFormat.Table).instant())
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: { Time: true, ...(value === undefined && { Value: true }) },
        indexByName: Object.fromEntries(columns.map((column, index) => [column, index])),
        renameByName: titles,
      },
    });
}

/** Creates the panel of Grafana. */
function builderOf(panel: Panel): stat.PanelBuilder | timeseries.PanelBuilder | table.PanelBuilder {
  if (panel.kind === 'stat') return statPanel(panel);
  return panel.kind === 'graph' ? graphPanel(panel) : tablePanel(panel);
}

function panelOf(panel: Panel): ReturnType<typeof builderOf> {
  const { kind, title, description, unit } = panel;
  const builder = builderOf(panel)
    .title(title)
    .datasource(SOURCE)
    .span(WIDTH[kind])
    .height(HEIGHT[kind]);
  if (description !== undefined) builder.description(description);
  if (unit !== undefined) builder.unit(unit);
  return builder;
}

/** Returns the dashboard as Grafana stores it. */
export function grafanaDashboard(given: Dashboard): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(given.title)
    .uid(given.uid)
    .description(given.description)
    .tags(['karmada'])
    .refresh('1m')
    .time({ from: 'now-6h', to: 'now' })
    .withVariable(
      new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
    );
  for (const { name, label, series, of } of given.variables)
    builder.withVariable(
      new dashboard.QueryVariableBuilder(name)
        .label(label)
        .datasource(SOURCE)
        .query(`label_values(${series}, ${of})`)
        .refresh(dashboard.VariableRefresh.OnTimeRangeChanged),
    );
  for (const { title, panels } of given.sections) {
    builder.withRow(new dashboard.RowBuilder(title));
    for (const panel of panels) builder.withPanel(panelOf(panel));
  }
  return numbered(builder.build());
}

/** Gives each panel its own ID. */
const numbered = ({ panels = [], ...rest }: dashboard.Dashboard): dashboard.Dashboard => ({
  ...rest,
  panels: panels.map((panel, index) => ({ ...panel, id: index + 1 })),
});
