import pino, { type Logger } from 'pino';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import type { Options } from '../options/options.ts';

/** Minimum verbosity for debug lines, as in klog. */
const debugVerbosity = 4;

const STDERR = 2;

/**
 * Creates the logger, which writes to stderr. Writes are synchronous, so that no line is lost when the process exits.
 * The operator logs about one line per second at most, so this costs less than a worker thread.
 */
export function createLogger(options: Options['log']): Logger {
  const level = options.verbosity >= debugVerbosity ? 'debug' : 'info';
  const base = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const destination = pino.destination({ fd: STDERR, sync: true });
  if (options.format === 'json') {
    return pino({ ...base, formatters: { level: (label) => ({ level: label }) } }, destination);
  }
  return pino(base, { write: (line: string) => void destination.write(textLine(line)) });
}

/**
 * Formats a JSON log line as `time LEVEL message key=value …`. Values are JSON, so a value cannot add another line.
 * @param json one log line of pino
 */
export function textLine(json: string): string {
  const { time, level, msg, ...fields } = fieldsOf(JSON.parse(json));
  const label = pino.levels.labels[Number(level)]?.toUpperCase() ?? String(level);
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${String(time)} ${label.padEnd(5)} ${String(msg)}${rest.join('')}\n`;
}
