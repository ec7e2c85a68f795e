/**
 * Explains a Pod from its Events. Only names and codes of known shapes become part of a message: an Event may quote the
 * output of any program. Table and pure functions.
 */
import { NAME_IN_TEXT as NAME } from './name-in-text.ts';
import { nameOf } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import { certain, suspected, type Cause, type Subject, type Surroundings } from './cause.ts';
import { containersOf, type Container } from './containers.ts';
import { eventsOf, type EventFact } from './event-facts.ts';
import { logCommand } from './exits.ts';
import { runsForLong } from './waiting.ts';

interface EventSubject {
  readonly pod: Pod;
  readonly subject: Subject;
  readonly event: EventFact;
  readonly groups: readonly string[];
}

interface EventShape {
  readonly reason: string;
  readonly pattern: RegExp;
  readonly cause: (subject: EventSubject) => Cause | undefined;
}

/** A new Pod may be a moment older than its volumes. In milliseconds. */
const RACE_MS = 10_000;

const isRepeated = ({ firstAt, lastAt, count }: EventFact): boolean =>
  count > 1 && lastAt - firstAt >= RACE_MS;

const volumeField = ({ name, field }: Subject): string =>
  name === 'karmada-apiserver' ? `${field}.extraVolumes` : field;

const KIND: Readonly<Record<string, string>> = { configmap: 'ConfigMap', secret: 'Secret' };

const missingSource: EventShape['cause'] = ({ pod, subject, event, groups }) => {
  const [volume = '', kind = '', name = ''] = groups;
  const { namespace = '' } = pod.metadata;
  const object = `${KIND[kind] ?? kind} ${namespace}/${name}`;
  const message = `${nameOf(pod)}: volume ${volume} cannot be mounted: ${object} does not exist; create it, or correct ${volumeField(subject)}`;
  return { reason: 'VolumeSourceMissing', message, isCertain: isRepeated(event) };
};

const missingKey: EventShape['cause'] = ({ pod, subject, event, groups }) => {
  const [volume = '', key = ''] = groups;
  const message = `${nameOf(pod)}: volume ${volume} cannot be mounted: its ConfigMap or Secret has no key ${key}; add the key, or correct the items of the volume in ${volumeField(subject)}`;
  return { reason: 'VolumeSourceMissing', message, isCertain: isRepeated(event) };
};

const notMounted =
  (why: string): EventShape['cause'] =>
  ({ pod, subject, groups: [volume = ''] }) =>
    suspected(
      'VolumeNotMounted',
      `${nameOf(pod)}: volume ${volume} cannot be mounted${why}; check the storage server, the CSI driver on the node, and ${volumeField(subject)}; see the Events of the Pod`,
    );

const notAttached =
  (why: string): EventShape['cause'] =>
  ({ pod, groups: [volume = ''] }) =>
    suspected(
      'VolumeNotAttached',
      `${nameOf(pod)}: volume ${volume} cannot be attached to its node${why}; check the CSI driver and the node; see the Events of the Pod`,
    );

const noSandbox =
  (why: string, remedy: string): EventShape['cause'] =>
  ({ pod, groups: [name = ''] }) =>
    suspected(
      'PodSandboxFailed',
      `${nameOf(pod)}: the node cannot create its sandbox${why.replace('NAME', name)}; ${remedy}`,
    );

const SHAPES: readonly EventShape[] = [
  {
    reason: 'FailedMount',
    pattern: new RegExp(`for volume "(${NAME})" : (configmap|secret) "(${NAME})" not found`),
    cause: missingSource,
  },
  {
    reason: 'FailedMount',
    pattern: new RegExp(
      `for volume "(${NAME})" : (?:configmap |secret )?references non-existent (?:config|secret) key: ([\\w.-]{1,253})`,
    ),
    cause: missingKey,
  },
  {
    reason: 'FailedMount',
    pattern: new RegExp(
      `for volume "(${NAME})" : hostPath type check failed: (\\/[\\w./-]{0,200}) is not an? ([a-z ]{1,30})`,
    ),
    cause: ({ pod, subject, groups: [volume = '', path = '', type = ''] }) =>
      certain(
        'VolumeNotMounted',
        `${nameOf(pod)}: volume ${volume} cannot be mounted: ${path} on the node is no ${type}; create it on the node, or correct the hostPath in ${volumeField(subject)}`,
      ),
  },
  {
    reason: 'FailedMount',
    pattern: new RegExp(
      `for volume "(${NAME})" : .{0,800}(?:mount failed: exit status \\d{1,3}|code = \\w{1,30})`,
    ),
    cause: notMounted(''),
  },
  {
    reason: 'FailedMount',
    pattern: new RegExp(
      `^Unable to attach or mount volumes: unmounted volumes=\\[(${NAME})[^\\]]{0,400}\\]`,
    ),
    cause: notMounted(' in time'),
  },
  {
    reason: 'FailedAttachVolume',
    pattern: new RegExp(`^Multi-Attach error for volume "(${NAME})"`),
    cause: notAttached(', because another node still uses it'),
  },
  {
    reason: 'FailedAttachVolume',
    pattern: new RegExp(`^AttachVolume\\.Attach failed for volume "(${NAME})"`),
    cause: notAttached(''),
  },
  {
    reason: 'FailedCreatePodSandBox',
    pattern: /no runtime for "([\w.-]{1,100})" is configured/,
    cause: noSandbox(
      ' with the runtime handler NAME, which its container runtime does not have',
      'correct runtimeClassName in spec.podSettings, or configure the handler on the node',
    ),
  },
  {
    reason: 'FailedCreatePodSandBox',
    pattern: /plugin type="([\w.-]{1,100})"/,
    cause: noSandbox(
      ', because its network plugin NAME fails',
      'check the network plugin (CNI) on the node',
    ),
  },
  {
    reason: 'FailedCreatePodSandBox',
    pattern: /cni plugin not initialized|network is not ready/i,
    cause: noSandbox(
      ', because its network plugin is not ready',
      'check the network plugin (CNI) on the node',
    ),
  },
  {
    reason: 'FailedCreatePodSandBox',
    pattern: /failed to (?:get|pull) (?:sandbox )?image/,
    cause: noSandbox(
      ', because the sandbox image cannot be pulled',
      'check that the node can pull from the registry of the sandbox image, which the container runtime configures',
    ),
  },
  {
    reason: 'FailedCreatePodSandBox',
    pattern: /./,
    cause: noSandbox(
      '',
      'check the container runtime and the network plugin of the node; see the Events of the Pod',
    ),
  },
];

/** Returns why a Pod does not start, from its last Event that has a known shape. */
export function podEventCause(
  pod: Pod,
  subject: Subject,
  { events }: Pick<Surroundings, 'events'>,
): Cause | undefined {
  for (const event of eventsOf(events, pod)) {
    for (const { reason, pattern, cause } of SHAPES) {
      const found = event.reason === reason ? pattern.exec(event.note) : null;
      if (found !== null) return cause({ pod, subject, event, groups: found.slice(1) });
    }
  }
  return undefined;
}

const PROBE = /^(Startup|Readiness|Liveness) probe failed: (.*)/s;
const STATUS_CODE = /^HTTP probe failed with statuscode: (\d{3})/;

/** Texts of the kubelet about a probe without a response. */
const PROBE_ERRORS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/connection refused/, 'nothing listens on its port'],
  [/context deadline exceeded|Client\.Timeout|i\/o timeout/, 'it does not respond in time'],
  [/server gave HTTP response to HTTPS client/, 'it serves HTTP instead of HTTPS'],
  [/no route to host|network is unreachable/, 'the node does not reach the Pod'],
  [/\bEOF\b|connection reset/, 'it closes the connection'],
];

/** Returns why the probes of the container of the operator fail. Output of other containers is not read. */
export function probeCause(
  pod: Pod,
  subject: Subject,
  { events, now }: Pick<Surroundings, 'events' | 'now'>,
): Cause | undefined {
  const main = containersOf(pod, subject).find(
    ({ role, ready, state }) => role === 'main' && ready === false && state?.running !== undefined,
  );
  if (main === undefined) return undefined;
  const startedAt = parseTime(main.state?.running?.startedAt);
  const event = eventsOf(events, pod).find(
    ({ reason, container, lastAt }) =>
      reason === 'Unhealthy' && container === main.name && lastAt >= startedAt,
  );
  const [, , output] = PROBE.exec(event?.note ?? '') ?? [];
  return output === undefined ? undefined : ofOutput(output, pod, { main, subject, now });
}

interface ProbedContainer {
  readonly main: Container;
  readonly subject: Subject;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

function ofOutput(
  output: string,
  pod: Pod,
  { main, subject, now }: ProbedContainer,
): Cause | undefined {
  const place = `${nameOf(pod)}: container ${main.name} runs, but`;
  const [, code] = STATUS_CODE.exec(output) ?? [];
  if (code === '401' || code === '403') return refusedProbe(code, place, { main, subject, now });
  const text = code === undefined ? errorOf(output) : `its health endpoint returns HTTP ${code}`;
  if (text === undefined) return undefined;
  return suspected('ProbeFails', `${place} its probe fails: ${text}; ${logRemedy(pod, main)}`);
}

/** Nothing while a new kube-apiserver returns 403 to anonymous requests: it has yet to create the roles that permit them. */
function refusedProbe(code: string, place: string, probed: ProbedContainer): Cause | undefined {
  const { main, subject, now } = probed;
  const flags = subject.flags.filter((flag) => /auth/.test(flag));
  const isCertain = code === '401' || runsForLong(main, now);
  if (flags.length === 0 && !isCertain) return undefined;
  const removed =
    flags.length === 0 ? '' : `remove ${flags.join(', ')} from ${subject.field}.extraArgs, or `;
  const message = `${place} it rejects the probes of the kubelet, which are anonymous (HTTP ${code}); ${removed}allow anonymous requests to its health endpoints`;
  return { reason: 'ProbeRefused', message, isCertain };
}

const errorOf = (output: string): string | undefined =>
  PROBE_ERRORS.find(([pattern]) => pattern.test(output))?.[1];

const logRemedy = (pod: Pod, container: Container): string =>
  `wait while it starts, or read its log with ${logCommand({ pod, container }, false)}`;
