/** Content of the condition `Warning`: all warnings about a Karmada, each with its reason. Pure functions. */
import type { Condition } from '../karmada.ts';
import type { Warning } from './warning.ts';

/** Reason and message of the condition. A stored one may be of another version of the operator. */
type Content = Pick<Condition, 'reason' | 'message'>;

/** Longest text of one warning, and of the message of the condition, in characters. */
const MAX_WARNING_LENGTH = 1_024;
const MAX_MESSAGE_LENGTH = 8_192;

/**
 * Returns reason and message of the condition; undefined without warnings. `reason` lists all reasons, separated by
 * commas. Of several warnings, each has a line of the message that starts with its reason.
 */
export function warningContent(warnings: readonly Warning[]): Content | undefined {
  const [first, ...others] = warnings.map(({ reason, message }) => ({
    reason,
    message: shortened(onOneLine(message)),
  }));
  if (first === undefined || others.length === 0) return first;
  const all = [first, ...others];
  const reason = [...new Set(all.map((warning) => warning.reason))].join();
  const lines = all.map((warning) => `${warning.reason}: ${warning.message}`);
  const shown = fitting(lines);
  const hidden = lines.length - shown.length;
  const more = hidden === 0 ? [] : [`The message has no room for ${hidden} more.`];
  return { reason, message: [...shown, ...more].join('\n') };
}

const onOneLine = (message: string): string =>
  message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** The first lines that fit into the message together, with the line breaks between them. */
function fitting(lines: readonly string[]): readonly string[] {
  let room = MAX_MESSAGE_LENGTH + 1;
  const end = lines.findIndex(({ length }) => {
    room -= length + 1;
    return room < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

const shortened = (message: string): string =>
  message.length > MAX_WARNING_LENGTH ? `${message.slice(0, MAX_WARNING_LENGTH - 1)}…` : message;

/** Returns the warnings in the content of a condition. Lines without a known reason are no warnings. */
export function warningsIn({ reason, message }: Content): readonly Content[] {
  const reasons = new Set(reason.split(','));
  const found = message.split('\n').flatMap((line): readonly Content[] => {
    const [name = '', ...text] = line.split(': ');
    return reasons.has(name) ? [{ reason: name, message: text.join(': ') }] : [];
  });
  return found.length > 0 ? found : [{ reason, message }];
}
