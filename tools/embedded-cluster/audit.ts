import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { clusterDirectory } from './slot.ts';

/** One answered request, with the fields that are needed to count requests. */
export interface AuditEvent {
  user: string;
  /** User agent of the client. */
  agent: string;
  verb: string;
  /** `deployments.apps`, `pods/log`, or the path of a request that is for no resource. */
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
  code: number;
  /** True for a dry run. */
  dryRun: boolean;
  /** Arrival of the request, in milliseconds since the epoch. Its effects may be visible before its response. */
  at: number;
}

/** A line of an audit log (audit.k8s.io/v1 Event). */
export interface RawEvent {
  stage?: string;
  verb?: string;
  user?: { username?: string };
  objectRef?: {
    resource?: string;
    subresource?: string;
    apiGroup?: string;
    namespace?: string;
    name?: string;
  };
  requestURI?: string;
  userAgent?: string;
  responseStatus?: { code?: number };
  requestReceivedTimestamp?: string;
}

/** Returns `deployments.apps`, `pods/log`, or the path of a non-resource request. */
export function resourceOf({ objectRef, requestURI = '' }: RawEvent): string {
  if (objectRef?.resource === undefined) return requestURI.replace(/\?.*$/, '');
  const group = objectRef.apiGroup === undefined ? '' : `.${objectRef.apiGroup}`;
  const subresource = objectRef.subresource === undefined ? '' : `/${objectRef.subresource}`;
  return `${objectRef.resource}${group}${subresource}`;
}

/** Returns true for a review of the user's own permissions, which is a `create` that stores nothing. */
export const isReview = ({ resource }: { readonly resource: string }): boolean =>
  /^selfsubject\w+reviews\./.test(resource);

/** Counts a watch when it starts, and other requests when they are answered. */
const countedStage = (verb: string): string =>
  verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete';

/** Defaults of fields that the API server omits for requests without a user, an object or a response. */
const absent = {
  verb: '',
  user: {},
  objectRef: {},
  responseStatus: {},
  requestReceivedTimestamp: '',
};

function parseJson(
  line: string,
): (RawEvent & Required<Pick<RawEvent, keyof typeof absent>>) | undefined {
  try {
    return { ...absent, ...(JSON.parse(line) as RawEvent) };
  } catch {
    return undefined;
  }
}

/**
 * Parses one line of an audit log.
 * @returns undefined for other stages and for an incomplete line
 */
export function parseAuditLine(line: string): AuditEvent | undefined {
  const raw = parseJson(line);
  if (raw === undefined || raw.stage !== countedStage(raw.verb)) return undefined;
  return {
    user: raw.user.username ?? '',
    agent: raw.userAgent ?? '',
    verb: raw.verb,
    resource: resourceOf(raw),
    namespace: raw.objectRef.namespace,
    name: raw.objectRef.name,
    code: raw.responseStatus.code ?? 0,
    dryRun: /[?&]dryRun=/.test(raw.requestURI ?? ''),
    at: Date.parse(raw.requestReceivedTimestamp),
  };
}

export interface RequestCount {
  user: string;
  verb: string;
  resource: string;
  count: number;
}

/** Counts requests by user, verb and resource, sorted by descending count. */
export function countRequests(events: Iterable<AuditEvent>): RequestCount[] {
  const counts = new Map<string, RequestCount>();
  for (const { user, verb, resource } of events) {
    const key = JSON.stringify([user, verb, resource]);
    const entry = counts.get(key) ?? { user, verb, resource, count: 0 };
    counts.set(key, { ...entry, count: entry.count + 1 });
  }
  return [...counts.values()].sort(
    (a, b) => b.count - a.count || a.resource.localeCompare(b.resource),
  );
}

/** Reads the answered requests that the API server received since `since` (milliseconds since the epoch). */
export async function readAudit(cluster: string, since = 0): Promise<AuditEvent[]> {
  const input = createReadStream(join(clusterDirectory(cluster), 'audit.log'));
  const events: AuditEvent[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const event = parseAuditLine(line);
    if (event !== undefined && event.at >= since) events.push(event);
  }
  return events;
}
