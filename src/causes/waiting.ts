/** Explains containers that the kubelet cannot create or start: pure. */
import { nameOf } from '../kubernetes/objects/object.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import { certain, suspected, type Cause } from './cause.ts';
import type { Container } from './containers.ts';
import { logCommand, type ExaminedContainer } from './exits.ts';

/** Texts of registries, repeated by the kubelet, for missing or wrong credentials. */
const REFUSED =
  /unauthorized|forbidden|access denied|authorization failed|authentication required|no basic auth/i;

const IMAGE_REMEDY =
  'check imageRepository and imageTag of the component, and that the node can pull from this registry';
const CREDENTIALS_REMEDY =
  'the registry rejects the pull: check the user name and password in the Secrets of spec.imagePullSecrets, and that the image exists';

type Explain = (examined: ExaminedContainer, message: string) => Cause;

/** One message for both reasons: the kubelet alternates between ErrImagePull and ImagePullBackOff. */
const notPulled: Explain = ({ pod, container: { name, image = '?' } }, message) => {
  const remedy = REFUSED.test(message) ? CREDENTIALS_REMEDY : IMAGE_REMEDY;
  return certain(
    'ImagePullFailed',
    `${nameOf(pod)}: container ${name}: image ${image} cannot be pulled; ${remedy}`,
  );
};

const badImageName: Explain = ({ pod, container: { name, image = '?' } }) =>
  certain(
    'InvalidImageName',
    `${nameOf(pod)}: container ${name}: ${image} is no valid image name; ${IMAGE_REMEDY}`,
  );

const notPresent: Explain = ({ pod, container: { name, image = '?' } }) =>
  certain(
    'ImageNotPresent',
    `${nameOf(pod)}: container ${name}: image ${image} is not on the node, and imagePullPolicy is Never; load the image onto the node, or set a different imagePullPolicy`,
  );

/** Names in the messages of the kubelet about environment variables. */
const REFERENCE = /\b(secret|configmap) "([a-z0-9.-]{1,253})" not found/;
const KEY =
  /couldn't find key ([\w.-]{1,253}) in (Secret|ConfigMap) ([a-z0-9.-]{1,253}\/[a-z0-9.-]{1,253})/;
const NON_ROOT = /runAsNonRoot|non-root|non-numeric user/;

const badConfig: Explain = (examined, message) => {
  const { pod, container, subject } = examined;
  const what = `${nameOf(pod)}: container ${container.name} cannot be created`;
  const isMain = container.role === 'main';
  const settings = isMain ? 'spec.podSettings' : 'the container';
  const text = NON_ROOT.test(message)
    ? `its image runs as root, and its security context forbids that; set runAsUser in the securityContext of ${settings}, or another image in ${subject.field}`
    : `${referenceText(examined, message)}, or correct env in ${isMain ? settings : 'the container where it is defined'}`;
  return certain('ContainerConfigError', `${what}: ${text}`);
};

/** What a container references and does not get. */
function referenceText({ pod }: Pick<ExaminedContainer, 'pod'>, message: string): string {
  const { namespace = '' } = pod.metadata;
  const [, kind = '', object = ''] = REFERENCE.exec(message) ?? [];
  const missing = `${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${namespace}/${object}`;
  if (object !== '') return `${missing} does not exist; create it`;
  return keyText(message);
}

function keyText(message: string): string {
  const [, key = '', holder = '', owner = ''] = KEY.exec(message) ?? [];
  if (key !== '') return `${holder} ${owner} has no key ${key}; add the key`;
  return 'a ConfigMap or Secret that it references is not usable; create it';
}

const MISSING_PROGRAM =
  /exec(?:utable)?:? .{0,300}(?:no such file or directory|not found in \$PATH)/;
const MOUNT = /error mounting "([^"]{1,255})" to rootfs at "([^"]{1,255})"/;

const notStarted: Explain = ({ pod, container: { name }, subject: { field } }, message) => {
  const start = `${nameOf(pod)}: container ${name} cannot be started`;
  if (MISSING_PROGRAM.test(message))
    return certain(
      'CommandNotFound',
      `${start}: its image does not contain the program of the component; correct imageRepository and imageTag in ${field}`,
    );
  const [, , path] = MOUNT.exec(message) ?? [];
  if (path !== undefined)
    return certain(
      'ContainerError',
      `${start}: its volume cannot be mounted at ${path}; correct mountPath and subPath of the volume mounts in ${field}`,
    );
  return certain(
    'ContainerError',
    `${start}: the container runtime of the node rejects it; check the securityContext and runtimeClassName in spec.podSettings, and the volume mounts in ${field}`,
  );
};

/** Waiting reasons that only an action ends. */
const WAITING: Readonly<Record<string, Explain>> = {
  ImagePullBackOff: notPulled,
  ErrImagePull: notPulled,
  InvalidImageName: badImageName,
  ErrImageNeverPull: notPresent,
  RegistryUnavailable: notPulled,
  CreateContainerConfigError: badConfig,
  CreateContainerError: notStarted,
  RunContainerError: notStarted,
};

/** Returns why a container waits; undefined if it only waits for its turn. */
export function waitingCause(examined: ExaminedContainer): Cause | undefined {
  const { reason = '', message = '' } = examined.container.state?.waiting ?? {};
  return WAITING[reason]?.(examined, message.slice(0, 4_096));
}

/** Time in milliseconds after which a running container that is not ready is reported. */
const SLOW_MS = 60_000;

/** Whether a container runs for so long that it should be ready. @param now wall clock in milliseconds */
export const runsForLong = ({ state }: Container, now: number): boolean =>
  now - parseTime(state?.running?.startedAt) >= SLOW_MS;

/** A container that runs without becoming ready, and of which nothing else is known. @param now wall clock in milliseconds */
export function slowCause({ pod, container }: ExaminedContainer, now: number): Cause | undefined {
  if (container.ready !== false || !runsForLong(container, now)) return undefined;
  return suspected(
    'ProbeFails',
    `${nameOf(pod)}: container ${container.name} runs, but is not ready; read its log with ${logCommand({ pod, container }, false)}`,
  );
}
