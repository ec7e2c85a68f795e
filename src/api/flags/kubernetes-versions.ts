/**
 * Flags and controllers of Kubernetes components that not all supported versions have. Derived from the options of Kubernetes
 * v1.27 to v1.37. Pure functions.
 */
import type { FieldError } from '../validation/field-error.ts';
import { quoted } from '../validation/field-error.ts';
import type { Components } from '../karmada.ts';
import type { CommonSettings, StringMap } from '../settings.ts';
import { kubernetesMinor } from '../versions/versions.ts';

interface Lifetime {
  /** First minor version that accepts the flag without an alpha feature gate. */
  readonly since?: number;
  /** Last minor version that accepts it. */
  readonly until?: number;
}

/** Flags of kube-apiserver that some of the minor versions since 1.27 lack. */
const FLAGS: Readonly<Record<string, Lifetime>> = {
  'authentication-config': { since: 30 },
  'authorization-config': { since: 30 },
  'cloud-config': { until: 32 },
  'cloud-provider': { until: 32 },
  'disable-http2-serving': { since: 31 },
  'emulated-version': { since: 31 },
  'emulation-forward-compatible': { since: 33 },
  'peer-advertise-ip': { since: 28 },
  'peer-advertise-port': { since: 28 },
  'peer-ca-file': { since: 28 },
  'requestheader-uid-headers': { since: 32 },
  'runtime-config-emulation-forward-compatible': { since: 33 },
  'service-account-signing-endpoint': { since: 32 },
  'storage-initialization-timeout': { since: 31 },
  'tls-curve-preferences': { since: 36 },
};

/** Minor version since which the names of controllers end with `-controller`. The earlier names remain valid. */
const CONTROLLER_NAMES = 28;

interface Versioned extends CommonSettings {
  readonly extraArgs?: StringMap;
  readonly controllers?: readonly string[];
}

/** Returns an error for each setting that the Kubernetes version of its component does not have. */
export function unavailableSettings({
  karmadaAPIServer,
  kubeControllerManager,
}: Components): readonly FieldError[] {
  return [...unavailableFlags(karmadaAPIServer), ...unavailableControllers(kubeControllerManager)];
}

function unavailableFlags(settings: Versioned | undefined): readonly FieldError[] {
  const minor = kubernetesMinor(settings?.imageTag ?? '');
  if (minor === undefined) return [];
  return Object.keys(settings?.extraArgs ?? {}).flatMap((flag) => {
    const { since = 0, until = Infinity } = Object.hasOwn(FLAGS, flag) ? (FLAGS[flag] ?? {}) : {};
    if (minor >= since && minor <= until) return [];
    const range = minor < since ? `v1.${since} or later` : `v1.${until} or earlier`;
    return [forbidden(`karmadaAPIServer.extraArgs.${flag}`, range, settings?.imageTag)];
  });
}

function unavailableControllers(settings: Versioned | undefined): readonly FieldError[] {
  const minor = kubernetesMinor(settings?.imageTag ?? '');
  if (minor === undefined || minor >= CONTROLLER_NAMES) return [];
  return (settings?.controllers ?? []).flatMap((name, index) =>
    name.endsWith('-controller')
      ? [
          forbidden(
            `kubeControllerManager.controllers[${index}]`,
            `v1.${CONTROLLER_NAMES} or later`,
            settings?.imageTag,
          ),
        ]
      : [],
  );
}

const forbidden = (field: string, range: string, tag: string | undefined): FieldError => ({
  field: `spec.components.${field}`,
  message: `Forbidden: requires Kubernetes ${range}, and imageTag is ${quoted(tag)}; remove it, or set another imageTag`,
});
