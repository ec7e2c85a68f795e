/**
 * The lines with which a component reports why it ends. Only these are quoted: other lines of a log may contain anything.
 * Table and pure functions.
 */
import { fieldsOf } from '../kubernetes/objects/records.ts';
import type { ComponentName } from '../api/component-catalog.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';

interface LineShape {
  readonly pattern: RegExp;
  /** Text in the line that says what failed. @returns undefined if the line has none */
  readonly text: (groups: readonly string[]) => string | undefined;
}

const first: LineShape['text'] = ([text = '']) => text;

/** Header of klog: severity, date, time, thread, file and line. */
const header = (severity: string): string =>
  String.raw`^${severity}\d{4} \d\d:\d\d:\d\d\.\d{6} +\d{1,10} [\w.-]{1,100}:\d{1,6}\] `;

/** `"command failed" err="…"`, with which k8s.io/component-base ends a command. The value is quoted as in Go. */
const COMMAND_FAILED: LineShape = {
  pattern: new RegExp(`${header('E')}"command failed" err="((?:[^"\\\\]|\\\\.)*)"`),
  text: ([text = '']) => unquoted(text),
};

const FATAL: LineShape = { pattern: new RegExp(`${header('F')}(.+)$`), text: first };

/** Errors before the log is set up, such as those of flags. */
const COMMAND_ERROR: LineShape = { pattern: /^Error: (.+)$/, text: first };

/** Go runtime. */
const PANIC: LineShape = {
  pattern: /^((?:panic|fatal error): .+)$/,
  text: first,
};

/** Flags of the Go standard library. The value of a flag is not part of the quote. */
const FLAG_NOT_DEFINED: LineShape = {
  pattern: /^(flag provided but not defined: -[\w.-]{1,100})$/,
  text: first,
};
const FLAG_VALUE: LineShape = {
  pattern: /^invalid (?:boolean )?value .* for (?:flag )?(-[\w.-]{1,100}): /,
  text: ([flag = '']) => `invalid value for flag ${flag}`,
};

/** Message of the container runtime for a program of another platform. */
const NOT_EXECUTABLE: LineShape = {
  pattern:
    /^exec (?:container process )?[`']?(\/[\w./-]{1,200})[`']?: (exec format error|Exec format error)$/,
  text: ([path = '']) => `${path}: exec format error`,
};

/** JSON lines of etcd with the level fatal or panic, and those about its flags. */
const ETCD_LINE: LineShape = {
  pattern: /^(\{"level":"(?:fatal|panic|error|warn)",.*\})$/,
  text: ([line = '']) => etcdText(line),
};

function etcdText(line: string): string | undefined {
  const { level, msg, error } = parsed(line);
  if (typeof msg !== 'string') return undefined;
  const isFatal = level === 'fatal' || level === 'panic' || msg === 'failed to verify flags';
  if (!isFatal) return undefined;
  return typeof error === 'string' ? `${msg}: ${error}` : msg;
}

function parsed(line: string): ReturnType<typeof fieldsOf> {
  try {
    return fieldsOf(parseJsonWithin(line, { size: UNTRUSTED.errorBody }));
  } catch {
    return {};
  }
}

/** A string that Go has quoted. */
const unquoted = (text: string): string =>
  text.replaceAll(/\\([nrt"\\])/g, (_, sign: string) => (/[nrt]/.test(sign) ? ' ' : sign));

const OF_KUBERNETES: readonly LineShape[] = [
  COMMAND_FAILED,
  FATAL,
  COMMAND_ERROR,
  PANIC,
  FLAG_NOT_DEFINED,
  FLAG_VALUE,
  NOT_EXECUTABLE,
];

const OF_ETCD: readonly LineShape[] = [
  ETCD_LINE,
  PANIC,
  FLAG_NOT_DEFINED,
  FLAG_VALUE,
  NOT_EXECUTABLE,
];

/** All components but etcd are commands of k8s.io/component-base. */
const shapesOf = (component: ComponentName): readonly LineShape[] =>
  component === 'etcd' ? OF_ETCD : OF_KUBERNETES;

/**
 * Returns what the last line says with which the component reports its end.
 * @param lines end of its log, without secrets
 * @returns undefined if no line has a known shape
 */
export function fatalText(component: ComponentName, lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    for (const { pattern, text } of shapesOf(component)) {
      const found = pattern.exec(line);
      const said = found === null ? undefined : text(found.slice(1));
      if (said !== undefined && said !== '') return said;
    }
  }
  return undefined;
}
