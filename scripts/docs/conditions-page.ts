/** Pages in docs/reference/conditions: condition types and reasons from the table in src/api. */
import {
  CONDITION_REASONS,
  CONDITION_TYPES,
  type DocumentedReason,
} from '../../src/api/reasons/condition-reasons.ts';
import { classOf, FAULTS, faultText } from '../../src/api/reasons/fault.ts';
import { keysOf } from '../../src/kubernetes/objects/records.ts';
import type { ReportedIn } from '../../src/api/reasons/reason.ts';
import { code, escaped, page, table } from './markdown.ts';

const INTRODUCTION = [
  'The operator reports the state of a control plane in `status.conditions` of the Karmada object.',
  'Wait for `Ready`: `kubectl wait --for=condition=Ready karmada/NAME`.',
  'The message of a condition names the object or field, the cause and the action.',
].join(' ');

const HEALTHY =
  'The column "Healthy" has the status of a control plane without errors. The operator removes a condition with the value "absent" when it no longer applies.';

const EVENTS = [
  'The operator records an Event when the status of a condition changes, except for `Progressing` and `Stalled`.',
  'The Event has the reason of the condition.',
  'An Event of a component condition has the condition type as its reason, such as `SchedulerReady`,',
  'or `SchedulerNotReady` if the component is not ready.',
].join(' ');

const REASONS = [
  'Each page describes the reasons of one subject. Reasons of normal states are the last ones of a page.',
  '"Reported in" names the condition types that use the reason, or the kind of another object whose conditions use it.',
  '"Component conditions" are those whose type ends in `Ready`, except `Ready`.',
  '"Event" means that no condition has the reason.',
].join(' ');

const FAULT_CLASSES = [
  'Each reason has one fault: whose it is, and in parentheses what it is about.',
  'The label `operator.karmada.io/fault-class` of Events,',
  'the metric `karmada_operator_control_plane_failure` and `kubectl karmada-operator status` use the same table.',
].join(' ');

/** Name of a condition type, or of another place where a reason appears, as Markdown. */
function placeName(place: ReportedIn): string {
  switch (place) {
    case 'components':
      return 'component conditions';
    case 'Event':
      return 'Event';
    case 'plan':
      return code('kubectl karmada-operator plan');
    default:
      return code(place);
  }
}

/** Page of reasons: file name, title, and the sections of the page about troubleshooting. */
type Group = readonly [file: string, title: string, sections: readonly string[]];

const GROUPS: readonly Group[] = [
  [
    'progress',
    'Progress, pauses and blocked changes',
    [
      'find-the-cause',
      'blocked-changes-pauses-and-rollouts',
      'control-planes-without-a-karmada-object',
      'deleted-control-planes-with-member-clusters',
    ],
  ],
  ['components', 'Components and Pods', ['components-and-pods']],
  [
    'requests',
    'Requests, objects and unobserved clusters',
    ['errors-of-requests-and-objects', 'unobserved-clusters'],
  ],
  ['warnings', 'Warnings', ['warnings']],
  ['crd-archives', 'CRD archives', ['crd-archives']],
  ['certificates', 'Certificates', ['certificates', 'rotations-of-cas-and-keys']],
  [
    'etcd',
    'Local etcd',
    [
      'local-etcd',
      'members-of-different-clusters',
      'alarms-of-etcd',
      'a-lost-or-damaged-etcd-member',
    ],
  ],
  ['external-etcd', 'External etcd', ['external-etcd']],
  ['host-clusters', 'Remote host clusters', ['remote-host-clusters']],
  ['member-clusters', 'Member clusters and estimators', ['scheduler-estimators']],
  [
    'adoption',
    'Control planes of the Go operator',
    ['control-planes-of-the-go-operator', 'steps-of-etcdadopted'],
  ],
  ['backups', 'Backups and restores', ['backups-and-restores']],
];

const sectionOf = ({ page: path }: DocumentedReason): string => path.split('#')[1] ?? '';

const isNormal = ({ fault }: DocumentedReason): boolean => classOf(fault) === undefined;

/** Reasons of a group by name, those of normal states last. */
function reasonsOf([, , sections]: Group): DocumentedReason[] {
  const own = CONDITION_REASONS.filter((row) => sections.includes(sectionOf(row)));
  const sorted = own.toSorted((one, other) => (one.reason < other.reason ? -1 : 1));
  return [...sorted.filter((row) => !isNormal(row)), ...sorted.filter(isNormal)];
}

/** Description of a reason. A heading of its own makes it a result of the search. */
function entry(row: DocumentedReason): string[] {
  const { reason, types, fault, meaning, action } = row;
  const faultOfReason = isNormal(row) ? '' : ` Fault: ${faultText(fault)}.`;
  return [
    `### ${reason}`,
    `Reported in: ${types.map(placeName).join(', ')}.${faultOfReason}`,
    escaped(meaning),
    `${escaped(action)} See [troubleshooting](../../${troubleshooting(row)}).`,
  ];
}

/** Link to the page about troubleshooting, relative to docs. */
const troubleshooting = ({ page: path }: DocumentedReason): string => path.replace(/^docs\//, '');

function groupPage(group: Group): string {
  const [, title] = group;
  const reasons = reasonsOf(group);
  const faults = reasons.filter((row) => !isNormal(row)).flatMap(entry);
  const normal = reasons.filter(isNormal).flatMap(entry);
  return page(`Reasons: ${title}`, [
    ...(faults.length === 0 ? [] : ['## Faults', ...faults]),
    ...(normal.length === 0 ? [] : ['## Normal states', ...normal]),
  ]);
}

function overview(): string {
  const types = CONDITION_TYPES.map(({ type, healthy, meaning }) => [
    code(type),
    healthy,
    escaped(meaning),
  ]);
  const faults = keysOf(FAULTS)
    .filter((fault) => classOf(fault) !== undefined)
    .map((fault) => [faultText(fault), escaped(`${FAULTS[fault].meaning}.`)]);
  const groups = GROUPS.map((group) => {
    const [file, title] = group;
    const names = reasonsOf(group).map(({ reason }) => code(reason));
    return `- [${title}](${file}.md): ${names.join(', ')}`;
  });
  return page('Conditions and reasons', [
    INTRODUCTION,
    '## Condition types',
    HEALTHY,
    table(['Type', 'Healthy', 'Meaning'], types),
    '## Reasons',
    REASONS,
    groups.join('\n'),
    '## Faults',
    FAULT_CLASSES,
    table(['Fault', 'Meaning'], faults),
    '## Events',
    EVENTS,
  ]);
}

/** Returns the overview and a page for each group of reasons, by file name below docs/reference. Not formatted. */
export const conditionsPages = (): Readonly<Record<string, string>> => ({
  'conditions/README': overview(),
  ...Object.fromEntries(GROUPS.map((group) => [`conditions/${group[0]}`, groupPage(group)])),
});
