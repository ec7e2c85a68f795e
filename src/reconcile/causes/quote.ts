/**
 * Quotes text of other programs in messages that many users can read: one short line without secrets. Pure functions,
 * linear in the length of the text.
 */
import { base64Parts } from '../../redact/base64-parts.ts';
import { decodedViews, originalSpan } from '../../redact/decoded-text.ts';
import {
  joined,
  piecesOf,
  SHORTEST_VALUE,
  valueFinder,
  withoutSpans,
} from '../../redact/exact-redaction.ts';
import { mayHoldSecret } from '../../redact/named-secrets.ts';
import { redactPatterns, type RedactText } from '../../redact/redact-text.ts';

/** Longest quote in a message, in characters. */
const LONGEST_QUOTE = 240;

/** Longest text that is searched, in characters, from its end. The kubelet reports at most 4 KiB of a log. */
const LONGEST_TEXT = 8_192;

/** Flags and environment variables of one component: characters of all values, and number of their parts. */
const LIMIT = { characters: 32_768, parts: 1_000 };

const PLAIN_PATH = /^\/[\w.-]{1,64}(?:\/[\w.-]{1,64}){0,16}$/;
const SWITCH_OR_NUMBER = /^(?:true|false|[\d.]{1,16}(?:ns|us|ms|s|m|h|[KMGT]i?)?)$/;

/** Whether a flag often has the value, which is not secret: a switch, a number, a duration or the path of a file. */
const isPlain = (value: string): boolean => SWITCH_OR_NUMBER.test(value) || PLAIN_PATH.test(value);

/** Returns the paths of files among the values of flags, which may have one value per line. */
export const pathsIn = (values: readonly string[]): readonly string[] =>
  values.flatMap((value) => value.split('\n')).filter((line) => PLAIN_PATH.test(line));

/** Why a text is not part of a message. */
export const NOT_SHOWN = 'not shown, because it may contain a secret';

/** Quotes text about one component. */
export interface Quoter {
  /** Returns the lines of a text without secrets; none if they cannot be removed. */
  readonly safeLines: (text: string) => readonly string[];
  /** Returns one short line without secrets; undefined if it may still contain one. */
  readonly quoted: (text: string) => string | undefined;
}

/**
 * Creates the quoter of a component. The values are only read when a text is quoted.
 * @param values of flags and environment variables of the user, which no quote contains
 */
export function createQuoter(values: () => readonly string[]): Quoter {
  let created: RedactText | 'unable' | undefined;
  const redact = (): RedactText | undefined => {
    created ??= redactionOf(values()) ?? 'unable';
    return created === 'unable' ? undefined : created;
  };
  const safeLines = (text: string): readonly string[] => linesOf(text, redact());
  return {
    safeLines,
    quoted: (text) => {
      const line = safeLines(whole(text)).filter(Boolean).join(' ');
      return line === '' || mayHoldSecret(line) ? undefined : shortened(line);
    },
  };
}

/** Returns a function that removes values and what looks like a secret; undefined for too many values to compare. */
function redactionOf(values: readonly string[]): RedactText | undefined {
  const size = values.reduce((sum, { length }) => sum + length, 0);
  if (size > LIMIT.characters) return undefined;
  const parts = partsOf(values);
  if (parts.size > LIMIT.parts) return undefined;
  const forms = [...parts].flatMap((part) => [
    ...decodedViews(part).map(({ text }) => text),
    ...base64Parts(part),
  ]);
  const find = valueFinder(forms, SHORTEST_VALUE);
  return (text) => {
    const spans = decodedViews(text).flatMap((view) =>
      find(view.text).map((span) => originalSpan(view, span)),
    );
    const ordered = spans.sort((one, other) => one.start - other.start);
    return redactPatterns(withoutSpans(text, joined(ordered)));
  };
}

/** Returns each value and its parts, unless it is no secret. */
function partsOf(values: readonly string[]): ReadonlySet<string> {
  const parts = values.flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
  const secret = parts.filter((part) => part.length >= SHORTEST_VALUE && !isPlain(part));
  return new Set(secret.flatMap(piecesOf));
}

function linesOf(text: string, redact: RedactText | undefined): readonly string[] {
  if (redact === undefined) return [];
  const lines = redact(text.slice(-LONGEST_TEXT)).split('\n');
  // The first line of a text that was cut off may be the rest of a secret.
  return (text.length > LONGEST_TEXT ? lines.slice(1) : lines).map(oneLine);
}

/** Kubernetes cuts off the notes of Events after 1,024 bytes: the last word of a long text may be the beginning of a secret. */
const LONGEST_WHOLE = 256;

function whole(text: string): string {
  if (text.length < LONGEST_WHOLE) return text;
  let end = text.length;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Replaces control characters and repeated spaces. */
const oneLine = (text: string): string =>
  text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

/** A line in the length of a quote. */
const shortened = (line: string): string =>
  line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1)}…` : line;
