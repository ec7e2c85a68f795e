/** Validates `spec.podSettings`. The CRD has the rules of the Kubernetes types. */
import { isIP } from 'node:net';
import type { V1EnvVar, V1SecurityContext } from '@kubernetes/client-node';

import type { FieldError } from './field-error.ts';
import { invalid } from './field-error.ts';
import type { PodSettings } from '../karmada.ts';
import { ALL_SELECTABLE, RESERVED_ENV } from '../defaults/pod-settings.ts';
import { validatePlacement } from './placement.ts';

const FIELD = 'spec.podSettings';

/** Validates the entries of `spec.podSettings`. */
export function validatePodSettings(list: readonly PodSettings[] = []): readonly FieldError[] {
  return list.flatMap((entry, index) => {
    const field = `${FIELD}[${index}]`;
    return [
      ...validateSelection(`${field}.components`, entry.components),
      ...validatePlacement(field, entry),
      ...validateEnv(`${field}.env`, entry.env),
      ...validateSecurity(`${field}.securityContext`, entry.securityContext),
      ...validateAddresses(field, entry),
    ];
  });
}

function validateSelection(
  field: string,
  components: PodSettings['components'],
): readonly FieldError[] {
  if (components === undefined) return [];
  const known: readonly string[] = ALL_SELECTABLE;
  if (components.length === 0)
    return [{ field, message: 'Required value: name a component, or remove the field for all' }];
  return components
    .filter((key) => !known.includes(key))
    .map((key) => invalid(field, key, `must be one of ${known.join(', ')}`));
}

function validateEnv(field: string, env: readonly V1EnvVar[] = []): readonly FieldError[] {
  const reserved = new RegExp(RESERVED_ENV);
  return env
    .filter(({ name }) => reserved.test(name))
    .map(({ name }) => invalid(field, name, RESERVED_ENV_TEXT));
}

/** Message of the rule, also in the CRD. */
export const RESERVED_ENV_TEXT =
  'POD_IP, KARMADA_ETCD_* and ETCD_* are reserved; for etcd use spec.components.etcd.local.extraArgs';

function validateAddresses(
  field: string,
  { hostAliases = [], dnsConfig }: PodSettings,
): readonly FieldError[] {
  const given = [
    ...hostAliases.map(({ ip }, index) => [`${field}.hostAliases[${index}].ip`, ip] as const),
    ...(dnsConfig?.nameservers ?? []).map(
      (ip, index) => [`${field}.dnsConfig.nameservers[${index}]`, ip] as const,
    ),
  ];
  return given
    .filter(([, ip]) => isIP(ip) === 0 || ip.includes('%'))
    .map(([at, ip]) => invalid(at, ip, 'must be an IP address'));
}

/** Message of the rule of the CRD. */
export const ADDRESSES_TEXT = 'hostAliases and dnsConfig.nameservers must have IP addresses';

/** The restricted default forbids privilege escalation and root, so a setting that needs them has to allow them. */
function validateSecurity(
  field: string,
  context: V1SecurityContext | undefined,
): readonly FieldError[] {
  const { privileged, capabilities, allowPrivilegeEscalation, runAsUser, runAsNonRoot } =
    context ?? {};
  const escalates = privileged === true || capabilities?.add?.includes('CAP_SYS_ADMIN') === true;
  return [
    ...(escalates && allowPrivilegeEscalation !== true
      ? [{ field, message: ESCALATION_TEXT }]
      : []),
    ...(runAsUser === 0 && runAsNonRoot !== false ? [{ field, message: ROOT_TEXT }] : []),
  ];
}

/** Messages of the rules, also in the CRD. */
export const ESCALATION_TEXT =
  'privileged and CAP_SYS_ADMIN require allowPrivilegeEscalation: true';
export const ROOT_TEXT = 'runAsUser 0 requires runAsNonRoot: false';
