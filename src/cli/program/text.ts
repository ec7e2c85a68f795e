/** Text output of commands: colors, tables, trees, durations. Pure functions. */
import { stripVTControlCharacters } from 'node:util';
import type { Environment } from './environment.ts';

type Style = (text: string) => string;

/** Colors of a terminal; all styles return the text unchanged without colors. */
export interface Palette {
  readonly good: Style;
  readonly bad: Style;
  readonly warning: Style;
  readonly muted: Style;
  readonly strong: Style;
}

const style =
  (code: number, enabled: boolean): Style =>
  (text) =>
    enabled && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;

/** Returns the styles. @param enabled whether to use colors */
export const palette = (enabled: boolean): Palette => ({
  good: style(32, enabled),
  bad: style(31, enabled),
  warning: style(33, enabled),
  muted: style(2, enabled),
  strong: style(1, enabled),
});

/** Whether output has colors: only on a terminal, and not with `NO_COLOR` (https://no-color.org) or `TERM=dumb`. */
export const usesColors = ({
  output,
  variables,
}: Pick<Environment, 'output' | 'variables'>): boolean =>
  output.isTerminal && !variables['NO_COLOR'] && variables['TERM'] !== 'dumb';

/** Removes terminal control sequences and control characters, because a message can quote any program. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');

/** Width in columns; colors have none. */
const width = (text: string): number => [...stripVTControlCharacters(text)].length;

/**
 * Aligns columns, as kubectl does: three spaces between them, and no trailing spaces.
 * @param rows cells; the first row is usually the header
 */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((row) => width(row[index] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - width(cell)))
      .join('   ')
      .trimEnd(),
  );
}

/** A line with the lines below it. */
export interface TreeNode {
  readonly text: string;
  readonly children?: readonly TreeNode[];
}

/** Draws a tree; the nodes themselves are indented by one level. */
export function treeLines(nodes: readonly TreeNode[], indent = ''): readonly string[] {
  return nodes.flatMap(({ text, children = [] }, index) => {
    const last = index === nodes.length - 1;
    return [
      `${indent}${last ? '└─ ' : '├─ '}${text}`,
      ...treeLines(children, `${indent}${last ? '   ' : '│  '}`),
    ];
  });
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Duration as kubectl shows an age: `45s`, `12m`, `3h`, `20d`. @param ms milliseconds */
export function ageText(ms: number): string {
  if (Number.isNaN(ms)) return '<unknown>';
  const positive = Math.max(0, ms);
  if (positive < 2 * MINUTE) return `${Math.floor(positive / SECOND)}s`;
  if (positive < 2 * HOUR) return `${Math.floor(positive / MINUTE)}m`;
  if (positive < 2 * DAY) return `${Math.floor(positive / HOUR)}h`;
  return `${Math.floor(positive / DAY)}d`;
}

/** Days before an expiry from which it is highlighted. */
export const SOON_DAYS = 30;

/** Whole days until a time, negative after it. Both in milliseconds since 1970. */
export const daysUntil = (time: number, now: number): number => Math.floor((time - now) / DAY);
