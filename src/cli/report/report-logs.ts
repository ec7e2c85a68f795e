/** Reads the logs of Pods for a report. */
import type { Endpoint } from '../../kubernetes/connection/connection.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { LogReader, type LogRequest } from '../logs/read-logs.ts';
import type { Environment } from '../program/environment.ts';
import type { ReportFile } from './archive.ts';
import type { Omissions } from './read-objects.ts';

export interface LogSettings {
  /** Age of the oldest line in seconds; undefined without a limit. */
  readonly sinceSeconds: number | undefined;
}

/** Most lines of a log that are read, from its end. */
const TAIL = 5_000;
/** Most bytes of a log that are read. */
const LIMIT_BYTES = 16 * 2 ** 20;
/** Most characters of a log that the report contains, from its end. */
const MAX_LENGTH = 2 * 2 ** 20;

/** A log of a container: the present one, or the one before its last restart. */
type LogName = Pick<LogRequest, 'namespace' | 'pod' | 'container' | 'previous'>;

/** Returns the logs of all containers of a Pod, also of init containers. Pure. */
export function logsOf(pod: Pod): readonly LogName[] {
  const { spec = {}, status = {} } = pod;
  const statuses = [
    status.initContainerStatuses,
    status.containerStatuses,
    status.ephemeralContainerStatuses,
  ].flatMap((listed) => listed ?? []);
  const containers = [spec.initContainers, spec.containers, spec.ephemeralContainers].flatMap(
    (listed) => listed ?? [],
  );
  const { name, namespace = '' } = pod.metadata;
  return containers.flatMap(({ name: container }) => {
    const log = { namespace, pod: name, container };
    const { restartCount = 0 } = statuses.find((one) => one.name === container) ?? {};
    const present = { ...log, previous: false };
    return restartCount > 0 ? [present, { ...log, previous: true }] : [present];
  });
}

interface LogSource {
  readonly environment: Pick<Environment, 'clock' | 'interrupted'>;
  readonly endpoint: Endpoint;
  readonly userAgent: string;
  readonly settings: LogSettings;
}

/**
 * Yields the logs of Pods as they are, one after the other, with those before the last restart.
 * @param folder folder of the files
 */
export async function* readLogs(
  { environment, endpoint, userAgent, settings }: LogSource,
  pods: readonly Pod[],
  folder: string,
  omissions: Omissions,
): AsyncGenerator<ReportFile> {
  const reader = new LogReader(endpoint, environment.clock, userAgent);
  const { interrupted } = environment;
  const bounds = { follow: false, tail: TAIL, limitBytes: LIMIT_BYTES, ...settings };
  try {
    for (const log of pods.flatMap(logsOf)) {
      interrupted.throwIfAborted();
      const { pod, container, previous } = log;
      const file = `${container}${previous ? '.previous' : ''}.log`;
      const text = await omissions.value(`log ${pod}/${file}`, () =>
        lastLines(reader.lines({ ...log, ...bounds, signal: interrupted })),
      );
      if (text !== undefined) yield { path: `${folder}/${pod}/${file}`, text };
    }
  } finally {
    await reader.close();
  }
}

/** Joins lines, without the first ones of a log that is too long. */
export async function lastLines(
  lines: AsyncIterable<string>,
  longest: number = MAX_LENGTH,
): Promise<string> {
  const kept: string[] = [];
  let length = 0;
  let first = 0;
  for await (const line of lines) {
    const part = line.slice(-longest);
    kept.push(part);
    length += part.length + 1;
    for (; length > longest && first < kept.length - 1; first += 1) {
      length -= (kept[first]?.length ?? 0) + 1;
      kept[first] = '';
    }
  }
  const shown = kept.slice(first).map((line) => `${line}\n`);
  return [...(first > 0 ? [`(${first} earlier lines omitted)\n`] : []), ...shown].join('');
}
