import pino, { type Logger } from 'pino';
import type { Options } from './options.ts';

/** From this verbosity on debug lines are written, as klog's users expect. */
const debugVerbosity = 4;

const STDERR = 2;

/** One line a second at most costs less than a thread: lines are written synchronously, none is lost at the end. */
export function createLogger(options: Options['log']): Logger {
  const level = options.verbosity >= debugVerbosity ? 'debug' : 'info';
  const base = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const destination = pino.destination({ fd: STDERR, sync: true });
  if (options.format === 'json') {
    return pino({ ...base, formatters: { level: (label) => ({ level: label }) } }, destination);
  }
  return pino(base, { write: (line: string) => void destination.write(textLine(line)) });
}

/** `time LEVEL message key=value …`; values are JSON, so that none can pass for another line. */
export function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const label = pino.levels.labels[Number(level)]?.toUpperCase() ?? String(level);
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `${String(time)} ${label.padEnd(5)} ${String(msg)}${rest.join('')}\n`;
}
