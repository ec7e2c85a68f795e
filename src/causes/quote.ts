/**
 * Quotes text of other programs in messages that many users can read: one short line without secrets. Pure functions,
 * linear in the length of the text.
 */
import { mayHoldSecret } from '../redact/named-secrets.ts';
import type { RedactText } from '../redact/redact-text.ts';

/** Longest quote in a message, in characters. */
const MAX_QUOTE_LENGTH = 240;

/** Longest text that is searched, in characters, from its end. The kubelet reports at most 4 KiB of a log. */
const MAX_TEXT_LENGTH = 8_192;

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
 * Creates the quoter of a component.
 * @param redaction removes secrets, see `Redactions`; only called when a text is quoted, and once
 */
export function createQuoter(redaction: () => RedactText | undefined): Quoter {
  let created: RedactText | 'unable' | undefined;
  const redact = (): RedactText | undefined => {
    created ??= redaction() ?? 'unable';
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

function linesOf(text: string, redact: RedactText | undefined): readonly string[] {
  if (redact === undefined) return [];
  const lines = redact(text.slice(-MAX_TEXT_LENGTH)).split('\n');
  // The first line of a text that was cut off may be the rest of a secret.
  return (text.length > MAX_TEXT_LENGTH ? lines.slice(1) : lines).map(oneLine);
}

/** Kubernetes cuts off the notes of Events after 1,024 bytes: the last word of a long text may be the beginning of a secret. */
const MAX_WHOLE_LENGTH = 256;

function whole(text: string): string {
  if (text.length < MAX_WHOLE_LENGTH) return text;
  let end = text.length;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Replaces control characters and repeated spaces. */
const oneLine = (text: string): string =>
  text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

/** A line in the length of a quote. */
const shortened = (line: string): string =>
  line.length > MAX_QUOTE_LENGTH ? `${line.slice(0, MAX_QUOTE_LENGTH - 1)}…` : line;
