/** The picture of the architecture: what runs where, and who connects to whom. Pure. */
import { escaped, svg } from './svg.ts';

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A cluster, or a program or object in it. The first line is its name. */
interface Box extends Area {
  readonly lines: readonly string[];
  readonly kind: 'cluster' | 'part' | 'operator' | 'data';
}

interface Arrow {
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Lines of its label. */
  readonly label: readonly string[];
  readonly at: readonly [x: number, y: number];
}

/** Column of parts in the host cluster. */
const part = (column: number, row: number, ...lines: string[]): Box => ({
  x: 386 + column * 152,
  y: 66 + row * 54,
  width: 142,
  height: 44,
  lines,
  kind: 'part',
});

const BOXES: readonly Box[] = [
  { x: 16, y: 16, width: 236, height: 318, kind: 'cluster', lines: ['Management cluster'] },
  {
    x: 36,
    y: 66,
    width: 196,
    height: 60,
    kind: 'data',
    lines: ['Karmada', 'one object, one control plane'],
  },
  {
    x: 36,
    y: 164,
    width: 196,
    height: 78,
    kind: 'operator',
    lines: ['Karmada operator', 'observe, decide,', 'execute, status'],
  },
  {
    x: 36,
    y: 280,
    width: 196,
    height: 38,
    kind: 'data',
    lines: ['status, Events, metrics'],
  },
  {
    x: 366,
    y: 16,
    width: 334,
    height: 318,
    kind: 'cluster',
    lines: ['Host cluster (the same, or a remote one)'],
  },
  part(0, 0, 'karmada-apiserver'),
  part(1, 0, 'karmada-aggregated-', 'apiserver'),
  part(0, 1, 'kube-controller-', 'manager'),
  part(1, 1, 'karmada-controller-', 'manager'),
  part(0, 2, 'karmada-scheduler'),
  part(1, 2, 'karmada-webhook'),
  {
    x: 386,
    y: 228,
    width: 294,
    height: 38,
    kind: 'part',
    lines: ['add-ons, such as karmada-search'],
  },
  {
    x: 386,
    y: 280,
    width: 294,
    height: 38,
    kind: 'data',
    lines: ['etcd, local or external'],
  },
  { x: 800, y: 16, width: 184, height: 318, kind: 'cluster', lines: ['Member clusters'] },
  {
    x: 816,
    y: 84,
    width: 152,
    height: 60,
    kind: 'part',
    lines: ['push mode', 'API server'],
  },
  {
    x: 816,
    y: 204,
    width: 152,
    height: 60,
    kind: 'part',
    lines: ['pull mode', 'karmada-agent'],
  },
  {
    x: 386,
    y: 372,
    width: 294,
    height: 46,
    kind: 'data',
    lines: ['KarmadaBackupStore', 'bucket (S3) or volume'],
  },
];

const ARROWS: readonly Arrow[] = [
  {
    points: [
      [134, 164],
      [134, 130],
    ],
    label: ['watches'],
    at: [174, 151],
  },
  {
    points: [
      [134, 242],
      [134, 276],
    ],
    label: ['reports'],
    at: [172, 264],
  },
  {
    points: [
      [232, 203],
      [362, 203],
    ],
    label: ['installs, repairs', 'and upgrades'],
    at: [308, 177],
  },
  {
    points: [
      [700, 114],
      [812, 114],
    ],
    label: ['propagates'],
    at: [750, 103],
  },
  {
    points: [
      [816, 234],
      [704, 234],
    ],
    label: ['fetches'],
    at: [752, 223],
  },
  {
    points: [
      [533, 318],
      [533, 368],
    ],
    label: ['backups, encrypted and verified'],
    at: [646, 353],
  },
];

const STYLE = `
  .page { fill: #ffffff; }
  text { fill: #1f2328; font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; text-anchor: middle; }
  .name { font-weight: 600; }
  .small { font-size: 11px; }
  .label { fill: #57606a; font-size: 12px; }
  rect { stroke-width: 1.2; }
  .cluster { fill: #f6f8fa; stroke: #afb8c1; stroke-dasharray: 5 4; }
  .part { fill: #ffffff; stroke: #8c959f; }
  .operator { fill: #ddf4ff; stroke: #0969da; stroke-width: 2; }
  .data { fill: #fff8c5; stroke: #9a6700; }
  path { fill: none; stroke: #57606a; stroke-width: 1.6; }
  .head { fill: #57606a; stroke: none; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; }
    text { fill: #e6edf3; }
    .small { font-size: 11px; }
  .label { fill: #9da7b3; }
    .cluster { fill: #161b22; stroke: #6e7681; }
    .part { fill: #21262d; stroke: #8b949e; }
    .operator { fill: #0c2d6b; stroke: #58a6ff; }
    .data { fill: #3a2d05; stroke: #d29922; }
    path { stroke: #9da7b3; }
    .head { fill: #9da7b3; }
  }
`;

const textElement = (x: number, y: number, text: string, style: string): string =>
  `<text x="${String(x)}" y="${String(y)}"${style === '' ? '' : ` class="${style}"`}>${escaped(text)}</text>`;

function boxElements({ x, y, width, height, lines, kind }: Box): string[] {
  const middle = x + width / 2;
  const top = kind === 'cluster' ? y + 28 : y + height / 2 + 5 - (lines.length - 1) * 8;
  const area = `x="${String(x)}" y="${String(y)}" width="${String(width)}" height="${String(height)}"`;
  return [
    `<rect class="${kind}" ${area} rx="6"/>`,
    ...lines.map((line, at) =>
      textElement(middle, top + at * 17, line, isName(lines, at) ? nameStyle(width) : ''),
    ),
  ];
}

/** The first line, and the second one of a name with a hyphen. */
const isName = (lines: readonly string[], at: number): boolean =>
  at === 0 || (lines[at - 1] ?? '').endsWith('-');

/** Names fit into narrow boxes with every font. */
const nameStyle = (width: number): string => (width < 150 ? 'name small' : 'name');

function arrowElements({ points, label, at: [x, y] }: Arrow): string[] {
  const path = points.map((point) => point.join(' ')).join(' L ');
  return [
    `<path d="M ${path}" marker-end="url(#head)"/>`,
    ...label.map((line, row) => textElement(x, y + row * 15, line, 'label')),
  ];
}

/** Renders the picture. */
export function architecturePicture(): string {
  const [width, height] = [1000, 434];
  const [triangle, size] = ['M 0 0 L 8 4 L 0 8 z', 'markerWidth="8" markerHeight="8"'];
  return svg({
    title: 'Architecture',
    description:
      'The operator in the management cluster watches Karmada objects. It installs, repairs and upgrades their control planes in host clusters. ' +
      'A control plane propagates workloads to member clusters in push mode; the agents of member clusters in pull mode fetch them. ' +
      'Backups of etcd go to a bucket or a volume.',
    width,
    height,
    style: STYLE,
    elements: [
      `<defs><marker id="head" ${size} refX="7" refY="4" orient="auto"><path class="head" d="${triangle}"/></marker></defs>`,
      `<rect class="page" x="0" y="0" width="${String(width)}" height="${String(height)}" rx="8"/>`,
      ...BOXES.flatMap(boxElements),
      ...ARROWS.flatMap(arrowElements),
    ],
  });
}
