/** Text of the command `propagation`: pure. */
import { keysOf } from '../../kubernetes/objects/records.ts';
import type { Effect, ObjectDifference } from '../../member-clusters/difference/difference.ts';
import { columns, printable } from '../program/text.ts';
import { agentNotes } from './agent-notes.ts';
import type { MemberView, PropagationView } from './read-propagation.ts';

const HEADER = [
  'MEMBER',
  'MODE',
  'CREATE',
  'CHANGE',
  'DELETE',
  'ORPHANED',
  'BLOCKED',
  'SUSPENDED',
  'EQUAL',
];

const TITLES: Readonly<Record<Effect, string>> = {
  delete: 'Karmada deletes',
  change: 'Karmada changes',
  create: 'Karmada creates',
  orphaned: 'Karmada does not know, and leaves as they are',
  blocked: 'Karmada cannot write',
};

/** Formats the comparison of all member clusters. */
export function propagationText(view: PropagationView): string {
  const { name, namespace, paused, members } = view;
  const subject = `${namespace}/${name}`;
  const lines = [
    paused
      ? `Karmada ${subject}: propagation is paused; this is what changes when it continues`
      : `Karmada ${subject}: propagation is not paused; Karmada already makes these changes`,
    ...(members.length === 0 ? ['No member clusters'] : columns([HEADER, ...members.map(row)])),
    ...members.flatMap((member) => memberLines(member, view)),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function row(member: MemberView): readonly string[] {
  const { name, syncMode = '' } = member;
  if ('problem' in member) return [name, syncMode, 'unknown'];
  const { create, change, orphaned, blocked, suspended, equal, ...others } = member.counts;
  const counts = [create, change, others.delete, orphaned, blocked, suspended, equal];
  return [name, syncMode, ...counts.map(String)];
}

function memberLines(member: MemberView, view: PropagationView): readonly string[] {
  const { name, syncMode } = member;
  const notes = [
    ...('problem' in member ? [`could not be compared: ${member.problem}`] : []),
    ...(syncMode === 'Pull' ? agentNotes(member, view) : []),
  ];
  const lines = [...notes.map((note) => `  ${note}`), ...objectLines(member)];
  return lines.length === 0 ? [] : ['', `${name}:`, ...lines];
}

function objectLines(member: MemberView): readonly string[] {
  if ('problem' in member) return [];
  return keysOf(TITLES).flatMap((effect) => {
    const objects = member.objects.filter((object) => object.effect === effect);
    return objects.length === 0
      ? []
      : [`  ${TITLES[effect]}:`, ...objects.map((object) => `    ${objectText(object)}`)];
  });
}

function objectText({ kind, namespace, name, fields, reason }: ObjectDifference): string {
  const object = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (fields !== undefined) return `${object} (${fields.join(', ')})`;
  return reason === undefined ? object : `${object}: ${reason}`;
}
