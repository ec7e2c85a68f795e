/**
 * Hashes the part of the etcd Pod template that affects an etcd member with data. Pure functions. etcd ignores its
 * bootstrap flags when a data directory exists, so a change of these flags must not restart an etcd member.
 */
import { canonicalJson, sha256 } from '../../kubernetes/intent.ts';
import type { PodSpec, Workload } from '../workload.ts';

/** Pod annotation: hash of the Pod template without bootstrap flags. */
export const EFFECTIVE_HASH = 'operator.karmada.io/etcd-template-hash';

const BOOTSTRAP = /^--initial-cluster(-state|-token)?=/;

type Template = Workload['spec']['template'];

/** Returns the StatefulSet with the hash as an annotation of its Pod template. */
export function withEffectiveHash(workload: Workload): Workload {
  const { template } = workload.spec;
  const hash = sha256(canonicalJson(effectiveTemplate(template))).slice(0, 16);
  const annotations = { ...template.metadata.annotations, [EFFECTIVE_HASH]: hash };
  const marked = { ...template, metadata: { ...template.metadata, annotations } };
  return { ...workload, spec: { ...workload.spec, template: marked } };
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
  const containers = pod.containers.map(({ args, command, ...container }, index) => {
    if (index > 0) return { ...container, ...(command && { command }), ...(args && { args }) };
    const flags = [...(command ?? []), ...(args ?? [])].filter((flag) => !BOOTSTRAP.test(flag));
    return { ...container, command: flags };
  });
  return { ...pod, containers };
}
