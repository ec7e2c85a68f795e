/**
 * Quotes text of other programs in messages that many users can read: one short line without secrets. Pure functions,
 * linear in the length of the text.
 */
import { REDACTED, redactPatterns } from '../../redact/redact-text.ts';

/** Longest quote in a message, in characters. */
const LONGEST_QUOTE = 240;

/** Longest text that is searched, in characters, from its end. The kubelet reports at most 4 KiB of a log. */
const LONGEST_TEXT = 8_192;

/** Shorter values occur in every text. */
const SHORTEST_VALUE = 4;

/** Values that a flag often has, and that are not secret: switches, numbers, durations and paths of files. */
const PLAIN_VALUE =
  /^(?:true|false|[\d.]{1,16}(?:ns|us|ms|s|m|h|[KMGT]i?)?|\/[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,16})$/;

/** Returns the forms of a value that a message of a program may contain. */
function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, encodeURIComponent(value.toWellFormed())];
}

/** Returns the values to hide: each one, and its parts, unless it is no secret. */
export function hiddenForms(values: readonly string[]): readonly string[] {
  const parts = values
    .flatMap((value) => [value, ...value.split(/[\s,;=]+/)])
    .filter((part) => part.length >= SHORTEST_VALUE && !PLAIN_VALUE.test(part));
  const forms = new Set(parts.flatMap(formsOf));
  return [...forms].sort((one, other) => other.length - one.length);
}

/** Text without secrets, in its lines. @param hidden values that do not appear, see `hiddenForms` */
export function safeLines(text: string, hidden: readonly string[]): readonly string[] {
  const end = text.slice(-LONGEST_TEXT);
  const without = hidden.reduce((rest, value) => rest.replaceAll(value, REDACTED), end);
  const lines = redactPatterns(without).split('\n');
  // The first line of a text that was cut off may be the rest of a secret.
  return (text.length > LONGEST_TEXT ? lines.slice(1) : lines).map(oneLine);
}

/** Replaces control characters and repeated spaces. */
const oneLine = (text: string): string =>
  text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

/** A line in the length of a quote. */
export const shortened = (line: string): string =>
  line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1)}…` : line;

/** One short line without secrets. */
export const quoted = (text: string, hidden: readonly string[] = []): string =>
  shortened(safeLines(text, hidden).filter(Boolean).join(' '));
