/**
 * Hashes the part of the etcd Pod template that affects an etcd member with data. Pure functions. etcd ignores its
 * bootstrap flags when a data directory exists, so a change of these flags must not restart an etcd member.
 */
import type { V1Probe } from '@kubernetes/client-node';
import { canonicalJson, sha256 } from '../../kubernetes/objects/intent.ts';
import type { PodSpec, Workload } from '../workload.ts';
import { HEALTH_PATH, JOIN_VARIABLE, READY_PATH } from './join.ts';

/** Pod annotation: hash of the Pod template without bootstrap flags. */
export const EFFECTIVE_HASH = 'operator.karmada.io/etcd-template-hash';

const BOOTSTRAP = /^--initial-cluster(-state|-token)?=/;

type Template = Workload['spec']['template'];
type Container = PodSpec['containers'][number];

/**
 * Annotation of the StatefulSet: hash of its Pod template with the timing of the other size. A single member elects
 * itself sooner than several ones. A member that keeps its timing when others join works, so it needs no restart.
 */
export const OTHER_SIZE_HASH = 'operator.karmada.io/etcd-other-size-hash';

/** Timing of a single member. */
const SINGLE_TIMING: readonly string[] = ['--heartbeat-interval=50', '--election-timeout=250'];

/** Flag before the timing in the template. */
const BEFORE_TIMING = '--snapshot-count=';

/**
 * Returns the StatefulSet with both hashes as annotations.
 * @param hasOwnTiming whether the user sets the timing, so that it is the same for every size
 */
export function withEffectiveHash(workload: Workload, hasOwnTiming = false): Workload {
  const { template } = workload.spec;
  const effective = effectiveTemplate(template);
  const annotations = { ...template.metadata.annotations, [EFFECTIVE_HASH]: hashOf(effective) };
  const marked = { ...template, metadata: { ...template.metadata, annotations } };
  const { metadata } = workload;
  const other = hasOwnTiming ? effective : ofOtherSize(effective);
  return {
    ...workload,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [OTHER_SIZE_HASH]: hashOf(other) },
    },
    spec: { ...workload.spec, template: marked },
  };
}

const hashOf = (template: Template): string => sha256(canonicalJson(template)).slice(0, 16);

/** The same template for one member, or for several ones. */
function ofOtherSize({ metadata, spec }: Template): Template {
  const [etcd, ...sidecars] = spec.containers;
  if (etcd === undefined) return { metadata, spec };
  const command = etcd.command ?? [];
  const isSingle = SINGLE_TIMING.every((flag) => command.includes(flag));
  const position = command.findIndex((flag) => flag.startsWith(BEFORE_TIMING));
  const other = isSingle
    ? command.filter((flag) => !SINGLE_TIMING.includes(flag))
    : [...command.slice(0, position + 1), ...SINGLE_TIMING, ...command.slice(position + 1)];
  return { metadata, spec: { ...spec, containers: [{ ...etcd, command: other }, ...sidecars] } };
}

/** Returns the Pod template without bootstrap flags and without the hash annotation. */
export function effectiveTemplate(template: Template): Template {
  const { annotations, ...metadata } = template.metadata;
  const others = Object.entries(annotations ?? {}).filter(([name]) => name !== EFFECTIVE_HASH);
  return {
    metadata: {
      ...metadata,
      ...(others.length > 0 && { annotations: Object.fromEntries(others) }),
    },
    spec: effectivePod(template.spec),
  };
}

function effectivePod(pod: PodSpec): PodSpec {
  const containers = pod.containers.map((container, index) =>
    index > 0 ? container : effectiveContainer(container),
  );
  return { ...pod, containers };
}

/**
 * Without bootstrap flags, the variable in them, and the source of the exit message. The readiness endpoint differs only for a learner, and a learner
 * has a Pod of the newest template.
 */
function effectiveContainer(given: Container): Container {
  const { args, command, env, ...container } = withoutExitMessage(given);
  const flags = [...(command ?? []), ...(args ?? [])].filter((flag) => !BOOTSTRAP.test(flag));
  const { readinessProbe, startupProbe } = container;
  return {
    ...container,
    command: flags,
    ...(env && { env: env.filter(({ name }) => name !== JOIN_VARIABLE) }),
    ...(readinessProbe && { readinessProbe: effectiveProbe(readinessProbe) }),
    ...(startupProbe && { startupProbe: effectiveProbe(startupProbe) }),
  };
}

const withoutExitMessage = ({ terminationMessagePolicy: _, ...container }: Container): Container =>
  container;

const effectiveProbe = ({ httpGet, ...probe }: V1Probe): V1Probe =>
  httpGet?.path === READY_PATH
    ? { ...probe, httpGet: { ...httpGet, path: HEALTH_PATH } }
    : { ...probe, ...(httpGet && { httpGet }) };
