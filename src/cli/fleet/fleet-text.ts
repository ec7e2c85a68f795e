/** Formats the state of many control planes as a tree, with a table below it. Pure functions. */
import { columns, printable, treeLines, type Palette, type TreeNode } from '../program/text.ts';
import { ageText } from '../program/text.ts';
import { versionsText, type TextSettings } from '../status/status-text.ts';
import type { FleetView } from './fleet-view.ts';

/** Formats the view; each line ends with a line break. */
export function fleetText(view: FleetView, settings: TextSettings): string {
  const nodes: readonly TreeNode[] = [
    { text: `Phases: ${countsText(view.phases)}` },
    rolloutNode(view, settings.palette),
    ...upgradesNode(view),
    failuresNode(view, settings.palette),
    versionsNode(view),
  ];
  const lines = [
    headline(view, settings.palette),
    ...treeLines(nodes),
    ...slowestLines(view, settings),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

type Counts = FleetView['phases'];

const countsText = (counts: Counts): string =>
  counts.map(({ value, count }) => `${String(count)} ${printable(value)}`).join(', ');

function headline({ total, ready }: FleetView, { strong, good, bad }: Palette): string {
  const others = total - ready;
  const parts = [
    good(`${String(ready)} Ready`),
    ...(others === 0 ? [] : [bad(`${String(others)} not Ready`)]),
  ];
  return `${strong(`Control planes: ${String(total)}`)}, ${parts.join(', ')}`;
}

/** Texts of the reasons of the condition `OperatorRollout`. */
const ROLLOUT_TEXTS: Readonly<Record<string, string>> = {
  Progressing: 'in this wave',
  Failed: 'failed',
  Waiting: 'wait for a later wave',
  Stopped: 'stopped because too many have failed',
  RolloutsPaused: 'paused by --operator-rollout-limit=0',
};

function rolloutNode({ operatorRollout }: FleetView, { bad }: Palette): TreeNode {
  const { withoutChange, reasons, wavesLeft } = operatorRollout;
  if (reasons.length === 0) return { text: 'Operator rollout: none is pending' };
  const children = reasons.map(({ value, count }) => {
    const text = `${String(count)} ${ROLLOUT_TEXTS[value] ?? printable(value)}`;
    return { text: value === 'Failed' ? bad(text) : text };
  });
  const left = wavesLeft === undefined ? '' : `, about ${wavesText(wavesLeft)} left after this one`;
  return {
    text: `Operator rollout: ${String(withoutChange)} without a pending change${left}`,
    children,
  };
}

const wavesText = (count: number): string => `${String(count)} ${count === 1 ? 'wave' : 'waves'}`;

function upgradesNode({ upgrades }: FleetView): readonly TreeNode[] {
  if (upgrades.length === 0) return [];
  const children = upgrades.map(({ from, to, count, steps, phases }) => ({
    text: `${String(count)} from ${versionsText(from)} to ${versionsText(to)}`,
    children: [
      ...(phases.length === 0 ? [] : [{ text: `Phases: ${countsText(phases)}` }]),
      ...(steps.length === 0 ? [] : [{ text: `Steps: ${countsText(steps)}` }]),
    ],
  }));
  return [{ text: 'Upgrades', children }];
}

/** Names of one failure in the tree; `-o json` prints all. */
const SHOWN = 3;

function failuresNode({ failures }: FleetView, { bad, warning }: Palette): TreeNode {
  if (failures.length === 0) return { text: 'Failures: none' };
  const children = failures.map(({ reason, severity, action, page, karmadas }) => {
    const paint = severity === 'error' ? bad : warning;
    const more = karmadas.length > SHOWN ? `, and ${String(karmadas.length - SHOWN)} more` : '';
    const names = `${karmadas.slice(0, SHOWN).map(printable).join(', ')}${more}`;
    const blocked = severity === 'blocked' ? ' (blocked change)' : '';
    return {
      text: `${paint(`${String(karmadas.length)} ${printable(reason)}`)}${blocked}: ${names}`,
      children: [
        ...(action === undefined ? [] : [{ text: `To do: ${action}` }]),
        ...(page === undefined ? [] : [{ text: `See: ${page}` }]),
      ],
    };
  });
  return { text: 'Failures', children };
}

const versionsNode = ({ versions }: FleetView): TreeNode => ({
  text: 'Versions',
  children: versions.map(({ count, ...of }) => ({ text: `${String(count)} ${versionsText(of)}` })),
});

const HEADER = ['NAMESPACE', 'NAME', 'PHASE', 'ACTIVITY', 'SINCE', 'REASON', 'MESSAGE'];

function slowestLines({ slowest }: FleetView, { now }: TextSettings): readonly string[] {
  if (slowest.length === 0) return [];
  const rows = slowest.map((one) => [
    one.namespace,
    one.name,
    one.phase,
    one.step === undefined ? one.activity : `${one.activity} (${one.step})`,
    ageText(now - Date.parse(one.since)),
    one.reason,
    one.message,
  ]);
  return ['', 'Slowest:', ...columns([HEADER, ...rows])];
}
