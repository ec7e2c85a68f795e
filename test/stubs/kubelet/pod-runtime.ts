/** What runs the containers of Pods: stubs in this process, or real processes. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';

/** Fields of a container that the kubelet reads. */
export interface ContainerSpec {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly restartPolicy?: string;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
}

export interface Probe {
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly scheme?: string;
  };
  readonly periodSeconds?: number;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly restartPolicy?: string;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly initContainers?: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly volumes?: readonly Volume[];
}

export interface Volume {
  readonly name: string;
  readonly secret?: {
    readonly secretName: string;
    readonly items?: readonly { readonly key: string; readonly path: string }[];
    readonly optional?: boolean;
  };
  readonly configMap?: { readonly name: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly emptyDir?: object;
  readonly hostPath?: { readonly path: string };
  readonly projected?: object;
}

export const specOf = (pod: KubernetesObject): PodSpec => pod['spec'] as unknown as PodSpec;

export interface Exit {
  readonly exitCode: number;
  /** Termination message. */
  readonly message: string;
}

/** A running container. */
export interface ContainerRun {
  /** Resolves when the container has ended. */
  readonly exit: Promise<Exit>;
  /** Ends the container, after its grace period at the latest. */
  stop(graceMs: number): Promise<void>;
  /** Calls `listener` whenever the readiness changes; it is false at first. */
  onReadiness(listener: (ready: boolean) => void): void;
}

/** Network and volumes of a Pod. */
export interface Sandbox {
  readonly address: string;
  /** Starts a container of the Pod as it is now. @param attempt number of earlier runs of this container */
  run(container: ContainerSpec, pod: KubernetesObject, attempt: number): Promise<ContainerRun>;
  /** Ends all that is left. */
  remove(): Promise<void>;
}

export interface PodRuntime {
  /** @throws Error if something that the Pod needs is missing, such as a Secret; the kubelet retries */
  createSandbox(pod: KubernetesObject): Promise<Sandbox>;
}

/** Value of a field of a Pod, such as `metadata.annotations['a']`. */
function fieldOf(pod: KubernetesObject, path: string, address = ''): string {
  if (path === 'status.podIP') return address;
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (map !== undefined) return pod.metadata[map as 'labels' | 'annotations']?.[key] ?? '';
  const steps = path.split('.');
  const value = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step],
    pod,
  );
  return String(value ?? '');
}

/** Variables of a container. */
export function environmentOf(
  pod: KubernetesObject,
  { env = [] }: ContainerSpec,
  address: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    env.map(({ name, value = '', valueFrom }) => {
      const path = valueFrom?.fieldRef?.fieldPath;
      return [name, path === undefined ? value : fieldOf(pod, path, address)];
    }),
  );
}

/** Replaces `$(NAME)` by variables. */
export const expanded = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\(([\w.-]+)\)/g, (whole, name: string) => variables[name] ?? whole);
