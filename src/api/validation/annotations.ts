/** Validates size and meaning of Pod annotations. */
import type { V1Container } from '@kubernetes/client-node';

import type { FieldError } from './field-error.ts';
import { invalid, quoted } from './field-error.ts';
import type { StringMap } from '../settings.ts';

/** Limit of the API server (256 KiB), reduced by space for annotations of the operator. */
const MAX_BYTES = 261_000;

/** Validates the size of all annotations of an object in bytes. The CRD can only count characters. */
export function validateSize(field: string, annotations: StringMap = {}): readonly FieldError[] {
  const bytes = Object.entries(annotations)
    .flat()
    .map((text) => Buffer.byteLength(text));
  const total = bytes.reduce((sum, length) => sum + length, 0);
  if (total <= MAX_BYTES) return [];
  const message = `Too long: the annotations have ${total} bytes in total (limit ${MAX_BYTES}); shorten them`;
  return [{ field, message }];
}

/** Containers of a Pod that annotations may reference. */
export interface Containers {
  readonly main: string;
  readonly sidecars: readonly V1Container[];
}

const PREFIX = {
  seccomp: 'container.seccomp.security.alpha.kubernetes.io/',
  appArmor: 'container.apparmor.security.beta.kubernetes.io/',
} as const;

type Check = (value: string) => string | undefined;

const PROFILES =
  /^(?:runtime\/default|docker\/default|unconfined|localhost\/(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).*)$/s;
const profile: Check = (value) =>
  PROFILES.test(value) ? undefined : 'must be runtime/default, unconfined or localhost/<profile>';

/** Annotations that the API server itself validates. */
const READ: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    'kubernetes.io/config.mirror': () => 'the annotation is reserved for the kubelet; remove it',
    'scheduler.alpha.kubernetes.io/tolerations': () =>
      'remove the annotation; use tolerations instead',
    'controller.kubernetes.io/pod-deletion-cost': (value: string) =>
      /^(?:0|-?[1-9][0-9]{0,9})$/.test(value) && Number(value) === (Number(value) | 0)
        ? undefined
        : 'must be a 32-bit integer',
    'seccomp.security.alpha.kubernetes.io/pod': profile,
  }),
);

/** Validates annotations whose values the API server would reject in a Pod. */
export function validateMeaning(
  field: string,
  annotations: StringMap = {},
  containers: Containers,
): readonly FieldError[] {
  return Object.entries(annotations).flatMap(([key, value]) => {
    const message = READ.get(key)?.(value) ?? ofContainer(key, value, containers);
    return message === undefined ? [] : [invalid(`${field}[${quoted(key)}]`, value, message)];
  });
}

function ofContainer(key: string, value: string, containers: Containers): string | undefined {
  if (key.startsWith(PREFIX.seccomp)) {
    return seccomp(key.slice(PREFIX.seccomp.length), value, containers);
  }
  if (!key.startsWith(PREFIX.appArmor)) return undefined;
  return appArmor(key.slice(PREFIX.appArmor.length), value, containers);
}

function seccomp(name: string, value: string, { main, sidecars }: Containers): string | undefined {
  if (name === main) {
    const same = ['runtime/default', 'docker/default'].includes(value);
    return same
      ? undefined
      : 'the container already has seccomp profile RuntimeDefault; remove the annotation';
  }
  const own = sidecars.find((sidecar) => sidecar.name === name)?.securityContext?.seccompProfile;
  if (own) return 'the container already has a seccompProfile; remove the annotation';
  return profile(value);
}

function appArmor(name: string, value: string, { main, sidecars }: Containers): string | undefined {
  const sidecar = sidecars.find((candidate) => candidate.name === name);
  if (name !== main && !sidecar) return 'the Pod has no such container; remove the annotation';
  if (sidecar?.securityContext?.appArmorProfile) {
    return 'the container already has an appArmorProfile; remove the annotation';
  }
  if (/^(?:|runtime\/default|unconfined|localhost\/.*)$/s.test(value)) return undefined;
  return 'must be runtime/default, unconfined or localhost/<profile>';
}
