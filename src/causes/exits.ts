/** Explains containers that ended, from their exit code and the last words of their log: pure. */
import { nameOf } from '../kubernetes/objects/object.ts';
import type { Ended, Pod } from '../kubernetes/objects/pod-kinds.ts';
import { certain, type Cause, type Subject } from './cause.ts';
import { endOf, type Container } from './containers.ts';
import { fatalText } from './log-shapes.ts';
import { meaningOf, type Meaning } from './log-meanings.ts';
import { NOT_SHOWN } from './quote.ts';

/** A container of a Pod. */
export interface ExaminedContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly subject: Subject;
}

const containerText = ({ pod, container }: ExaminedContainer): string =>
  `${nameOf(pod)}: container ${container.name}`;

/** Names of Pods, Namespaces and containers (RFC 1123). */
const NAME = /^[a-z0-9][-.a-z0-9]{0,252}$/;

/** Command that prints the log of the last run of a container. */
export const logCommand = (
  { pod, container }: Pick<ExaminedContainer, 'pod' | 'container'>,
  previous = true,
): string => {
  const { name, namespace = '' } = pod.metadata;
  // The API server of another cluster may return any name, and users paste the command into a shell.
  if (![name, namespace, container.name].every((one) => NAME.test(one))) return 'kubectl logs';
  return `kubectl -n ${namespace} logs ${name} -c ${container.name}${previous ? ' --previous' : ''}`;
};

/** Restarts after which a container that runs again still counts as crashing. */
const REPEATED = 2;

/** Returns why a container ended. @param now wall clock in milliseconds */
export function exitCause(examined: ExaminedContainer, now: number): Cause | undefined {
  const { container } = examined;
  const end = endOf(container, now);
  if (end === undefined || isCompleted(end, container)) return undefined;
  if (end.reason === 'OOMKilled') return outOfMemory(examined);
  if (container.role !== 'main') return foreignExit(examined, end);
  return ownExit(examined, end);
}

/** An init container that has completed, or a container that a rollout stopped, is no failure. */
const isCompleted = ({ exitCode, reason }: Ended, { role, state }: Container): boolean =>
  exitCode === 0 && (role === 'init' || (reason === 'Completed' && state?.waiting === undefined));

/** The kernel ends a process of the container with the largest use when its memory limit is reached. */
function outOfMemory(examined: ExaminedContainer): Cause {
  const { container, subject } = examined;
  const spec = subject.workload?.spec.template.spec.containers.find(
    ({ name }) => name === container.name,
  );
  const limit = spec?.resources?.limits?.['memory'];
  const used = `${containerText(examined)} used more memory than its limit${limit === undefined ? '' : ` of ${limit}`} (OOMKilled)`;
  return certain('OOMKilled', `${used}; ${memoryRemedy(examined, limit)}`);
}

function memoryRemedy(
  { container, subject }: ExaminedContainer,
  limit: string | undefined,
): string {
  if (container.role !== 'main') return 'raise its memory limit where the container is defined';
  const field = `${subject.field}.resources.limits.memory`;
  if (limit !== undefined) return `raise ${field}`;
  return `the spec sets no limit, so a LimitRange of the Namespace does: set ${field}`;
}

/** The operator does not quote containers whose image it did not choose. */
function foreignExit(examined: ExaminedContainer, { exitCode = 0 }: Ended): Cause | undefined {
  const { container } = examined;
  if (!isCrashing(container)) return undefined;
  const kind =
    container.role === 'init'
      ? 'the init container'
      : 'the container, which is not of the operator,';
  const message = `${containerText(examined)} ends with exit code ${String(exitCode)}: ${kind} keeps the Pod from becoming ready; read its log with ${logCommand(examined)}, and correct it where it is defined`;
  return certain('SidecarFails', message);
}

const isCrashing = ({ state, restartCount = 0 }: Container): boolean =>
  state?.waiting?.reason === 'CrashLoopBackOff' || restartCount >= REPEATED;

function ownExit(examined: ExaminedContainer, end: Ended): Cause | undefined {
  const { container, subject } = examined;
  const said = lastWords(end, subject);
  const meaning = said === undefined ? undefined : meaningOf(said.text, subject);
  const exit = `${containerText(examined)} ends with exit code ${String(end.exitCode ?? '?')}`;
  const hidden = `the line with its error is ${NOT_SHOWN}`;
  if (meaning !== undefined) {
    const { reason, what = said?.quote ?? hidden, remedy } = meaning;
    return certain(reason, `${exit} (${what}); ${remedy}`);
  }
  const isCertain = isCrashing(container);
  if (said !== undefined) {
    const remedy = saidRemedy(said.text, subject);
    const read = `read its log with ${logCommand(examined)}, and ${remedy}`;
    const message = `${exit} (${said.quote ?? hidden}); ${said.quote === undefined ? read : remedy}`;
    return { reason: 'CrashLoopBackOff', message, isCertain };
  }
  const { reason, remedy } = codeMeaning(end.exitCode, examined);
  return { reason, message: `${exit}; ${remedy}`, isCertain };
}

interface LastWords {
  /** Without the secrets that were found, for comparisons only. */
  readonly text: string;
  /** Absent if the text may still contain a secret. */
  readonly quote: string | undefined;
}

/** The error with which a component ended. It is redacted in its line, and again without the escapes of the line. */
function lastWords({ message = '' }: Ended, { name, quoter }: Subject): LastWords | undefined {
  const said = fatalText(name, quoter.safeLines(message));
  if (said === undefined) return undefined;
  return { text: quoter.safeLines(said).join(' '), quote: quoter.quoted(said) };
}

function saidRemedy(said: string, { name, field }: Subject): string {
  if (/^(?:panic|fatal error):/.test(said))
    return `this is a defect of the program: use another release in ${field}.imageTag, and report it to its project`;
  if (name !== 'etcd' && /\betcd\b|storage factory/i.test(said))
    return 'the program does not reach etcd: see the conditions EtcdReady and EtcdHealthy';
  return `correct what the text names: a setting in ${field}, or the object or server that it needs`;
}

/** Exit codes of shells and of the kernel. */
function codeMeaning(code: number | undefined, examined: ExaminedContainer): Meaning {
  const { field } = examined.subject;
  const image = `set the image of the component in ${field}.imageRepository and imageTag`;
  switch (code) {
    case 126:
    case 127:
      return {
        reason: 'CommandNotFound',
        remedy: `the image does not contain the program of the component, or it cannot be executed; ${image}`,
      };
    case 132:
      return {
        reason: 'ImageOfOtherPlatform',
        remedy: `the CPU of the node does not support the instructions of the program; set a node selector in spec.podSettings, or another image in ${field}`,
      };
    case 137:
      return {
        reason: 'CrashLoopBackOff',
        remedy: `the program was killed, by the kubelet because its liveness probe failed, or because the node lacked memory; read its log with ${logCommand(examined)}`,
      };
    default:
      return { reason: 'CrashLoopBackOff', remedy: `read its log with ${logCommand(examined)}` };
  }
}
