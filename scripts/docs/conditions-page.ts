/** Page docs/reference/conditions.md: condition types and reasons from the table in src/api. */
import { CONDITION_REASONS, CONDITION_TYPES } from '../../src/api/condition-reasons.ts';
import { classOf, FAULTS, faultText, type Fault } from '../../src/api/reasons/fault.ts';
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
  'The column "Reported in" has the condition types that use the reason.',
  '"Component conditions" are those whose type ends in `Ready`, except `Ready`.',
  '"Event" means that no condition has the reason.',
  'The column "Fault" is explained [below](#faults); it is empty for a normal state, and for a reason that points to another condition.',
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

/** Returns the page, not formatted. */
export function conditionsPage(): string {
  const types = CONDITION_TYPES.map(({ type, healthy, meaning }) => [
    code(type),
    healthy,
    escaped(meaning),
  ]);
  const reasons = [...CONDITION_REASONS]
    .sort((one, other) => (one.reason < other.reason ? -1 : 1))
    .map(({ reason, types: places, fault, meaning, action }) => [
      code(reason),
      [...places].map(placeName).join(', '),
      faultText(fault),
      escaped(meaning),
      escaped(action),
    ]);
  const faults = (Object.keys(FAULTS) as Fault[])
    .filter((fault) => classOf(fault) !== undefined)
    .map((fault) => [faultText(fault), escaped(`${FAULTS[fault].meaning}.`)]);
  return page('Conditions and reasons', [
    INTRODUCTION,
    '## Condition types',
    HEALTHY,
    table(['Type', 'Healthy', 'Meaning'], types),
    '## Reasons',
    REASONS,
    table(['Reason', 'Reported in', 'Fault', 'Meaning', 'Action'], reasons),
    '## Faults',
    FAULT_CLASSES,
    table(['Fault', 'Meaning'], faults),
    '## Events',
    EVENTS,
  ]);
}
