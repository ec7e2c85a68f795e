/** A terminal with the output of a command, as SVG. Pure. */
import { escaped, svg } from './svg.ts';

/** Width and height of a character, and the margins. */
const CELL = { width: 8.4, height: 19 } as const;
const MARGIN = 18;
const BAR = 34;

/** Classes of the styles that commands write (ECMA-48, SGR). */
const CLASSES: Readonly<Record<string, string>> = {
  '1': 'strong',
  '2': 'muted',
  '31': 'bad',
  '32': 'good',
  '33': 'warning',
};

interface Span {
  readonly text: string;
  /** Class of its style; empty without a style. */
  readonly style: string;
}

/** Splits one line of output into parts of one style. */
function spansOf(line: string): Span[] {
  const [first = '', ...others] = line.split(/\u001b\[(\d+)m/);
  const spans: Span[] = [{ text: first, style: '' }];
  for (let at = 0; at < others.length; at += 2)
    spans.push({ text: others[at + 1] ?? '', style: CLASSES[others[at] ?? ''] ?? '' });
  return spans.filter(({ text }) => text !== '');
}

/** Breaks a line as a terminal does: after the last column. */
export function wrapped(spans: readonly Span[], columns: number): Span[][] {
  const rows: Span[][] = [[]];
  let used = 0;
  for (const { text, style } of spans) {
    for (const character of text) {
      if (used === columns) {
        rows.push([]);
        used = 0;
      }
      const row = rows.at(-1) ?? [];
      const last = row.at(-1);
      if (last?.style === style) row[row.length - 1] = { text: last.text + character, style };
      else row.push({ text: character, style });
      used += 1;
    }
  }
  return rows;
}

const lengthOf = (row: readonly Span[]): number =>
  row.reduce((sum, { text }) => sum + [...text].length, 0);

/** The length keeps the columns aligned with every font of the reader. */
function rowElement(row: readonly Span[], at: number): string {
  const y = BAR + MARGIN + at * CELL.height + 4;
  const length = (lengthOf(row) * CELL.width).toFixed(1);
  const parts = row.map(({ text, style }) =>
    style === '' ? escaped(text) : `<tspan class="${style}">${escaped(text)}</tspan>`,
  );
  return `<text x="${String(MARGIN)}" y="${String(y)}" textLength="${length}" xml:space="preserve">${parts.join('')}</text>`;
}

const STYLE = `
  rect { fill: #161b22; stroke: #30363d; }
  circle { fill: #484f58; }
  text { fill: #e6edf3; font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; }
  .strong { font-weight: 700; }
  .muted { fill: #9da7b3; }
  .good { fill: #56d364; }
  .bad { fill: #ff7b72; }
  .warning { fill: #e3b341; }
`;

/** What a picture of a terminal shows. */
interface TerminalScene {
  readonly title: string;
  /** Command line without the prompt. */
  readonly command: string;
  /** Output of the command on a terminal, with its styles. */
  readonly output: string;
  readonly columns: number;
}

/** Renders a terminal after a command. */
export function terminalPicture({ title, command, output, columns }: TerminalScene): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split('\n')];
  const rows = lines.flatMap((line) => wrapped(spansOf(line), columns));
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = BAR + rows.length * CELL.height + MARGIN + 6;
  const dots = [20, 40, 60].map((x) => `<circle cx="${String(x)}" cy="18" r="6"/>`);
  return svg({
    title,
    description: output.replaceAll(/\u001b\[\d+m/g, '').trimEnd(),
    width,
    height,
    style: STYLE,
    elements: [
      `<rect x="0.5" y="0.5" width="${String(width - 1)}" height="${String(height - 1)}" rx="8"/>`,
      ...dots,
      ...rows.map(rowElement),
    ],
  });
}
