import { jobResultIn } from '../../backup/job/config.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';

interface State {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly exitCode?: number; readonly message?: string };
  };
}

/** Returns why the Pod of a restore does not run, in the words of the kubelet and the scheduler. */
export function restoreProblem(pod: Pod): string | undefined {
  const status = pod.status ?? {};
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return scheduled?.message ?? states.map(problemIn).find((problem) => problem !== undefined);
}

const endOf = ({
  exitCode,
  message,
}: NonNullable<NonNullable<State['state']>['terminated']>): string =>
  jobResultIn(message)?.error ?? `exit code ${String(exitCode)}`;

function problemIn({ name, state: { terminated, waiting } = {} }: State): string | undefined {
  if (terminated !== undefined && terminated.exitCode !== 0)
    return `container ${name} ended with ${endOf(terminated)}`;
  const reason = waiting?.reason ?? 'PodInitializing';
  return reason === 'PodInitializing' ? undefined : `container ${name}: ${reason}`;
}
