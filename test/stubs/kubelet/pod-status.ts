/** Status of a Pod as the kubelet writes it. Pure functions. */
import { conditionOf, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { stubNow } from '../clock.ts';
import { specOf, type ContainerSpec, type Exit } from './pod-runtime.ts';

/** State of a container. */
export interface ContainerState {
  readonly restarts: number;
  readonly isReady: boolean;
  /** Start of the current run, RFC 3339; undefined while it waits. */
  readonly startedAt?: string;
  /** End of the current run. */
  readonly exit?: Exit;
  /** End of the former run. */
  readonly last?: Exit;
  /** Why it is not created. */
  readonly waiting?: { readonly reason: string; readonly message: string };
}

export const WAITING: ContainerState = { restarts: 0, isReady: false };

export const timestamp = (): string => new Date(stubNow()).toISOString().replace(/\.\d+/, '');

const terminated = ({ exitCode, message }: Exit, startedAt: string): object => ({
  terminated: {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: startedAt,
    ...(message !== '' && { message }),
  },
});

function containerStatus({ name, image = '' }: ContainerSpec, state: ContainerState): object {
  const { restarts, isReady, startedAt, exit, last, waiting } = state;
  const started = startedAt ?? timestamp();
  return {
    name,
    image,
    imageID: `sha256:${image}`,
    restartCount: restarts,
    ready: isReady,
    started: isReady,
    state:
      startedAt === undefined
        ? { waiting: waiting ?? { reason: last ? 'CrashLoopBackOff' : 'ContainerCreating' } }
        : exit === undefined
          ? { running: { startedAt } }
          : terminated(exit, startedAt),
    lastState: last === undefined ? {} : terminated(last, started),
  };
}

/** State of all containers of a Pod. */
export interface PodState {
  readonly address: string;
  readonly containers: ReadonlyMap<string, ContainerState>;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly isInitialized: boolean;
}

export function podStatus(pod: KubernetesObject, state: PodState): object {
  const { containers, initContainers = [] } = specOf(pod);
  const { address, phase, isInitialized } = state;
  const of = (one: ContainerSpec): ContainerState => state.containers.get(one.name) ?? WAITING;
  const isReady = phase === 'Running' && containers.every((one) => of(one).isReady);
  const is = (type: string, isTrue: boolean): object => condition(pod, type, isTrue);
  return {
    phase,
    ...(address !== '' && { podIP: address, podIPs: [{ ip: address }], hostIP: '127.0.0.1' }),
    startTime: (pod['status'] as { startTime?: string } | undefined)?.startTime ?? timestamp(),
    conditions: [
      is('PodScheduled', true),
      is('Initialized', isInitialized),
      is('ContainersReady', isReady),
      is('Ready', isReady),
    ],
    containerStatuses: containers.map((one) => containerStatus(one, of(one))),
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((one) => containerStatus(one, of(one))),
    }),
  };
}

/** The time of a condition changes only with its status. */
function condition(pod: KubernetesObject, type: string, isTrue: boolean): object {
  const status = isTrue ? 'True' : 'False';
  const known = conditionOf(pod, type);
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timestamp();
  return { type, status, lastTransitionTime };
}
