/** Formats the state of control planes as a tree, or as a table of several. Pure functions. */
import type { EtcdClusterStatus } from '../../api/karmada.ts';
import type { UpgradeStatus, Versions } from '../../api/karmada.ts';
import { etcdClusterLines } from '../etcd-cluster-text.ts';
import { memberClusterNodes } from './member-clusters-text.ts';
import {
  ageText,
  columns,
  printable,
  SOON_DAYS,
  treeLines,
  type Palette,
  type TreeNode,
} from '../program/text.ts';
import type { StatusProblem } from './problems.ts';
import type { ComponentView, StatusView } from './status-view.ts';

export interface TextSettings {
  readonly palette: Palette;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Formats one control plane; each line ends with a line break. */
export function statusText(view: StatusView, settings: TextSettings): string {
  const nodes = [
    problemsNode(view, settings),
    { text: `Versions: ${versionsText(view.versions)}` },
    ...upgradeNodes(view.upgrade),
    componentsNode(view, settings),
    ...etcdNodes(view, settings),
    ...memberClusterNodes(view, settings),
    { text: `Certificates: ${certificateText(view, settings)}` },
    ...accessNodes(view),
    ...view.notes.map((note) => ({ text: settings.palette.muted(printable(note)) })),
  ];
  return [headline(view, settings), ...treeLines(nodes.flatMap((node) => node ?? []))]
    .map((line) => `${line}\n`)
    .join('');
}

const age = ({ created }: StatusView, now: number): string =>
  created === undefined ? '<unknown>' : ageText(now - Date.parse(created));

function headline(view: StatusView, { palette, now }: TextSettings): string {
  const { namespace, name } = view;
  const title = palette.strong(`Karmada ${namespace}/${name}`);
  const parts = [
    readyText(view, palette),
    `phase ${printable(view.phase)}`,
    `age ${age(view, now)}`,
    ...(view.observed ? [] : ['the operator has not observed the latest spec yet']),
  ];
  return `${title}: ${parts.join(', ')}`;
}

function readyText({ ready }: StatusView, { good, bad }: Palette): string {
  if (ready.status === 'True') return good('Ready');
  const state = ready.status === 'Unknown' ? 'Ready is Unknown' : 'not Ready';
  return bad(ready.reason === '' ? state : `${state} (${printable(ready.reason)})`);
}

const TITLES: Readonly<Record<StatusProblem['severity'], string>> = {
  error: 'Error',
  blocked: 'Blocked',
  progress: 'In progress',
  warning: 'Warning',
};

function problemsNode(
  { problems }: StatusView,
  { palette, now }: TextSettings,
): TreeNode | undefined {
  if (problems.length === 0) return undefined;
  const children = problems.map((problem) => {
    const { severity, reason, message, types } = problem;
    const paint = severity === 'error' ? palette.bad : palette.warning;
    return {
      text: `${paint(`${TITLES[severity]} ${printable(reason)}`)} (${types.join(', ')}): ${printable(message)}`,
      children: problemDetails(problem, now).map((text) => ({ text })),
    };
  });
  return { text: 'Conditions', children };
}

/** Since when, whose fault, what to do, and where that is described. */
function problemDetails(
  { action, fault, page, since }: StatusProblem,
  now: number,
): readonly string[] {
  const age = since === undefined ? '' : `since ${since} (${ageText(now - Date.parse(since))})`;
  const facts = [age, fault === undefined ? '' : `fault: ${fault}`].filter(Boolean);
  const isAction = action !== undefined && action !== 'No action is needed.';
  return [
    ...(facts.length === 0 ? [] : [printable(facts.join(', '))]),
    ...(isAction ? [`To do: ${action}`, ...(page === undefined ? [] : [`See: ${page}`])] : []),
  ];
}

/** Names running versions. */
export function versionsText({ karmada, kubernetes, etcd }: Versions): string {
  const known = [
    ...(karmada === undefined ? [] : [`Karmada ${karmada}`]),
    ...(kubernetes === undefined ? [] : [`Kubernetes ${kubernetes}`]),
    ...(etcd === undefined ? [] : [`etcd ${etcd}`]),
  ];
  return known.length === 0 ? 'not running yet' : known.map(printable).join(', ');
}

function upgradeNodes(upgrade: UpgradeStatus | undefined): readonly TreeNode[] {
  if (upgrade === undefined) return [];
  const { from = {}, to = {}, next = [], step, phase, reason, message } = upgrade;
  const state = phase === undefined ? '' : ` (${phase})`;
  const details = [
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(next.length === 0 ? [] : [`then ${next.join(', ')}`]),
    ...(reason === undefined ? [] : [`${reason}: ${message ?? ''}`]),
  ];
  return [
    {
      text: `Upgrade${state}: ${versionsText(from)} to ${versionsText(to)}`,
      children: details.map((text) => ({ text: printable(text) })),
    },
  ];
}

function componentsNode(
  { components }: StatusView,
  { palette }: TextSettings,
): TreeNode | undefined {
  if (components.length === 0) return undefined;
  const complete = components.filter(({ status }) => status === 'True').length;
  const rows = components.flatMap((component) => componentRows(component, palette));
  return {
    text: `Components: ${complete}/${components.length} ready`,
    children: columns(rows).map((text) => ({ text })),
  };
}

function componentRows(
  { name, status, reason = '', message = '', workloads }: ComponentView,
  { good, bad, muted, warning }: Palette,
): readonly (readonly string[])[] {
  const paint = reason === 'Progressing' ? warning : bad;
  const state = status === 'True' ? good('ready') : paint(printable(reason) || 'unknown');
  const details = status === 'True' ? '' : printable(message);
  if (workloads.length === 0) return [[name, state, muted('not created'), '', details]];
  return workloads.map(({ ready, desired, restarts, version }) => {
    const count = restarts === 0 ? '' : `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
    const texts = [count, details].filter((text) => text !== '');
    return [name, state, `${ready}/${desired} Pods`, printable(version), texts.join('; ')];
  });
}

function etcdNodes({ etcd }: StatusView, { palette }: TextSettings): readonly TreeNode[] {
  const { summary, cluster } = etcd;
  if (cluster === undefined) return summary === '' ? [] : [{ text: `etcd: ${printable(summary)}` }];
  return [
    {
      text: `etcd: ${quorumText(cluster, palette)}${summary === '' ? '' : `, ${printable(summary)} healthy`}`,
      children: etcdClusterLines(cluster).map((text) => ({ text: printable(text) })),
    },
  ];
}

const quorumText = ({ quorum }: EtcdClusterStatus, { good, bad }: Palette): string => {
  if (quorum === 'True') return good('quorum');
  return bad(quorum === 'False' ? 'no quorum' : 'quorum unknown');
};

function certificateText({ certificates }: StatusView, { palette }: TextSettings): string {
  const { first, count } = certificates;
  if (first === undefined) return 'none yet';
  const { name, notAfter, daysLeft } = first;
  const paint = daysLeft < 0 ? palette.bad : daysLeft < SOON_DAYS ? palette.warning : String;
  const which = name ?? 'the first';
  const expires = name === undefined ? 'expires' : 'expires first';
  const verb = daysLeft < 0 ? 'expired' : expires;
  const text = `${which} ${verb}, ${daysText(daysLeft)} (${notAfter})`;
  return `${count === undefined ? '' : `${count}, `}${paint(printable(text))}`;
}

/** Days until an expiry, as text. @param days negative after the expiry */
function daysText(days: number): string {
  const count = Math.abs(days);
  const unit = `${count} ${count === 1 ? 'day' : 'days'}`;
  return days < 0 ? `${unit} ago` : `in ${unit}`;
}

function accessNodes({ hostCluster }: StatusView): readonly TreeNode[] {
  const { secret, apiServerService } = hostCluster;
  return [
    ...(secret === undefined ? [] : [{ text: `Remote host cluster: Secret ${printable(secret)}` }]),
    ...(apiServerService === undefined
      ? []
      : [{ text: `API server: Service ${printable(apiServerService)}` }]),
  ];
}

const HEADER = [
  'NAME',
  'READY',
  'PHASE',
  'COMPONENTS',
  'KARMADA',
  'ETCD',
  'EXPIRES',
  'AGE',
  'REASON',
];

/**
 * Formats several control planes as a table.
 * @param withNamespace whether the first column is the namespace
 */
export function statusTable(
  views: readonly StatusView[],
  withNamespace: boolean,
  { palette, now }: TextSettings,
): string {
  const rows = views.map((view) => [
    ...(withNamespace ? [view.namespace] : []),
    view.name,
    view.ready.status === 'True' ? palette.good('True') : palette.bad(view.ready.status),
    printable(view.phase),
    `${view.components.filter(({ status }) => status === 'True').length}/${view.components.length}`,
    printable(view.versions.karmada ?? ''),
    printable(view.etcd.summary),
    view.certificates.first === undefined ? '' : `${view.certificates.first.daysLeft}d`,
    age(view, now),
    view.ready.status === 'True' ? '' : printable(view.ready.reason),
  ]);
  const header = [...(withNamespace ? ['NAMESPACE'] : []), ...HEADER];
  return columns([header, ...rows])
    .map((line) => `${line}\n`)
    .join('');
}
