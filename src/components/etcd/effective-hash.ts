/**
 * What of etcd's pod template makes a difference to a member with data: pure. Flags that etcd reads only without data
 * do not, so that a change of them is no reason to restart a member.
 */
import { canonicalJson, sha256 } from '../../kubernetes/intent.ts';
import type { PodSpec, Workload } from '../workload.ts';

/** Annotation of the pods: hash of their template without bootstrap flags. */
export const EFFECTIVE_HASH = 'operator.karmada.io/etcd-template-hash';

const BOOTSTRAP = /^--initial-cluster(-state|-token)?=/;

type Template = Workload['spec']['template'];

/** The StatefulSet with the hash on its pods. */
export function withEffectiveHash(workload: Workload): Workload {
  const { template } = workload.spec;
  const hash = sha256(canonicalJson(effectiveTemplate(template))).slice(0, 16);
  const annotations = { ...template.metadata.annotations, [EFFECTIVE_HASH]: hash };
  const marked = { ...template, metadata: { ...template.metadata, annotations } };
  return { ...workload, spec: { ...workload.spec, template: marked } };
}

/** A template without what makes no difference to a member with data. */
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
