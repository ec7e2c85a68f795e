/** Panels of the Grafana dashboards as plain values, and the expressions in them. */

/** Expression in PromQL, and its legend. */
interface Query {
  readonly expr: string;
  /** Template of Grafana such as `{{phase}}`; defaults to all labels. */
  readonly legend?: string;
}

interface Common {
  readonly title: string;
  readonly description?: string;
  /** Unit of Grafana such as `s`, `bytes`, `percentunit`; defaults to a plain number. */
  readonly unit?: string;
}

/** One number that is green, or red from a threshold on. */
interface Stat extends Common {
  readonly kind: 'stat';
  readonly expr: string;
  /** From this value on the number is red; below it if `isMinimum` is set. */
  readonly alarm?: { readonly value: number; readonly isMinimum?: true };
}

interface Graph extends Common {
  readonly kind: 'graph';
  readonly queries: readonly Query[];
  readonly isStacked?: true;
}

/** Current values, one row for each series. */
interface Table extends Common {
  readonly kind: 'table';
  readonly expr: string;
  /** Labels in the order of the columns. */
  readonly columns: readonly string[];
  /** Title of the column with the value; not shown if absent. */
  readonly value?: string;
}

export type Panel = Stat | Graph | Table;

/** Panel with one number. */
export const stat = (
  title: string,
  expr: string,
  more: Omit<Stat, 'kind' | 'title' | 'expr'> = {},
): Stat => ({ kind: 'stat', title, expr, ...more });

/** Panel with curves. @param queries expressions by their legend, see `Query` */
export const graph = (
  title: string,
  queries: Readonly<Record<string, string>>,
  more: Omit<Graph, 'kind' | 'title' | 'queries'> = {},
): Graph => ({
  ...{ kind: 'graph', title },
  queries: Object.entries(queries).map(([legend, expr]) => ({ expr, legend })),
  ...more,
});

/** Panel with a table. */
export const table = (
  title: string,
  columns: readonly string[],
  expr: string,
  more: Omit<Table, 'kind' | 'title' | 'columns' | 'expr'> = {},
): Table => ({ kind: 'table', title, columns, expr, ...more });

export interface Section {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Variable whose values are those of a label. */
interface Variable {
  readonly name: string;
  readonly label: string;
  /** Series, with a selector if it depends on other variables. */
  readonly series: string;
  readonly of: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly sections: readonly Section[];
}

const queriesOf = (panel: Panel): readonly string[] =>
  panel.kind === 'graph' ? panel.queries.map(({ expr }) => expr) : [panel.expr];

/** All expressions of a dashboard, with the variables of Grafana. */
export const expressionsOf = ({ sections }: Dashboard): readonly string[] =>
  sections.flatMap(({ panels }) => panels).flatMap(queriesOf);

/** Replaces the variables of Grafana. @param values by name of the variable, without `$` */
export const substituted = (expr: string, values: Readonly<Record<string, string>>): string =>
  expr.replaceAll(/\$(\w+)/g, (variable, name: string) => values[name] ?? variable);
