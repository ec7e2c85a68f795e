/** Text output of commands: colors, tables, trees, durations. Pure functions. */
import type { Environment, TextStream } from './environment.ts';

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
}: Pick<Environment, 'variables'> & { readonly output: Pick<TextStream, 'isTerminal'> }): boolean =>
  output.isTerminal && !variables['NO_COLOR'] && variables['TERM'] !== 'dumb';

/**
 * Control sequences of terminals (ECMA-48): those with a final character, strings such as the title of a window, and other escape
 * sequences. Of a string that does not end within its limit, only the beginning is removed.
 */
const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-Z\\`-~]/g;

/** Control characters of ASCII and of ISO 6429 (C1), and other line breaks. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Characters that change the order in which a terminal shows others (Unicode, UAX 9), so that a text looks like another one. */
const DIRECTION = /\p{Bidi_Control}+/gu;

/**
 * Returns one line without terminal control sequences, control characters and characters that change the direction of the text,
 * because a message can quote any program.
 */
export const printable = (text: string): string =>
  text.replaceAll(SEQUENCE, '').replaceAll(CONTROL, ' ').replaceAll(DIRECTION, '');

/** Parts of an output that only commands create: line breaks, tabs, and the styles of the palette. */
const PLAIN_LAYOUT = /([\n\t])/;
const STYLED_LAYOUT = /([\n\t]|\u001b\[(?:0|1|2|31|32|33)m)/;
const STYLED_PART = /(\u001b\[(?:0|1|2|31|32|33)m)/;
const STYLE = /\u001b\[(?:0|1|2|31|32|33)m/g;

/**
 * Returns lines without the same sequences and characters. Line breaks and tabs stay.
 * @param styled whether the styles of the palette stay; they can change at most the color of a text
 */
export const printableLines = (text: string, styled: boolean): string =>
  text
    .split(styled ? STYLED_LAYOUT : PLAIN_LAYOUT)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');

/** Returns one line, as `printable` does, with the styles of the palette. */
const styledLine = (text: string): string =>
  text
    .split(STYLED_PART)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');

/** Characters of a JSON text that a terminal interprets. JSON itself escapes those of ASCII. */
const JSON_CONTROL = /[\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu;

/** Escapes these characters in a JSON text, whose value stays the same. */
export const escapedJson = (json: string): string =>
  json.replaceAll(
    JSON_CONTROL,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Width in columns; colors have none. */
const width = (text: string): number => [...text.replaceAll(STYLE, '')].length;

/** Longest cell, in characters. A name of Kubernetes has at most 253. */
const MAX_CELL_LENGTH = 256;

/** Cuts a cell and keeps its styles, so that they also end. */
function shortened(cell: string): string {
  if (cell.length <= MAX_CELL_LENGTH || width(cell) <= MAX_CELL_LENGTH) return cell;
  let left = MAX_CELL_LENGTH - 1;
  let isCut = false;
  const parts = cell.split(STYLED_PART).map((part, index) => {
    if (index % 2 === 1) return part;
    if (isCut) return '';
    const characters = [...part];
    isCut = characters.length > left;
    const shown = characters.slice(0, left).join('');
    left -= characters.length;
    return isCut ? `${shown}…` : part;
  });
  return parts.join('');
}

/**
 * Aligns columns, as kubectl does: three spaces between them, and no trailing spaces. Each row is one line: a line break in a value of the
 * cluster would look like the row of another object. A cell is cut after 256 characters, because all rows get its width. The last column
 * has no width, and is shown whole.
 * @param cells the first row is usually the header
 */
export function columns(cells: readonly (readonly string[])[]): readonly string[] {
  const last = cells.reduce((most, row) => Math.max(most, row.length - 1), 0);
  const rows = cells.map((row) =>
    row.map((cell, index) => (index < last ? shortened(styledLine(cell)) : styledLine(cell))),
  );
  const widths = Array.from({ length: last }, (_, index) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[index] ?? '')), 0),
  );
  const padded = (cell: string, index: number): string =>
    index < last ? cell + ' '.repeat((widths[index] ?? 0) - width(cell)) : cell;
  return rows.map((row) => row.map(padded).join('   ').trimEnd());
}

/** A line with the lines below it. */
export interface TreeNode {
  readonly text: string;
  readonly children?: readonly TreeNode[];
}

/** Draws a tree; the nodes themselves are indented by one level. Each node is one line. */
export function treeLines(nodes: readonly TreeNode[], indent = ''): readonly string[] {
  return nodes.flatMap(({ text, children = [] }, index) => {
    const last = index === nodes.length - 1;
    return [
      `${indent}${last ? '└─ ' : '├─ '}${styledLine(text)}`,
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
