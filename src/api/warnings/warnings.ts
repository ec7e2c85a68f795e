/** Warnings about a spec that works but is not recommended or has fields without effect. Reported as a condition. */
import type { DefaultedSpec } from '../defaults/defaults.ts';
import { quoted } from '../validation/field-error.ts';
import type { Karmada } from '../karmada.ts';
import type { Subject, Warning, WarningFacts, WarningRule } from './warning.ts';
import { allSettings, when } from './warning.ts';
import { ETCD_WARNINGS } from './etcd.ts';
import { FLAG_WARNINGS } from './flags.ts';
import { VERSION_WARNINGS } from './versions.ts';

export type { Warning } from './warning.ts';

/**
 * Returns all warnings about a Karmada that `validate` accepts.
 * @param karmada source of the name and namespace
 * @param spec spec of the Karmada with all defaults
 * @param host what is known about its host cluster
 */
export function warnings(
  karmada: Karmada,
  spec: DefaultedSpec,
  host: WarningFacts = {},
): readonly Warning[] {
  const { name, namespace = '' } = karmada.metadata;
  const subject = { name, namespace, spec, host };
  return RULES.flatMap((rule) => rule(subject));
}

const RULES: readonly WarningRule[] = [
  leadingDigit,
  ...ETCD_WARNINGS,
  ...VERSION_WARNINGS,
  ...FLAG_WARNINGS,
  disruptionBudgets,
  replicas,
  loadBalancerClass,
  networkPolicy,
  hostEndpoint,
  plainDownload,
  passwordInUrl,
  longCertificates,
];

function leadingDigit({ name }: Subject): readonly Warning[] {
  const message = `metadata.name: ${quoted(name)} starts with a digit, which many Kubernetes releases reject in a Service name; use a name that starts with a letter.`;
  return when(/^[0-9]/.test(name), 'NameBeginsWithDigit', message);
}

function networkPolicy({ spec }: Subject): readonly Warning[] {
  const { egressCIDRs, monitoring = {} } = spec;
  const ignored = [
    ...(egressCIDRs === undefined ? [] : ['spec.egressCIDRs']),
    ...(monitoring.namespaces === undefined ? [] : ['spec.monitoring.namespaces']),
  ];
  const message = `${ignored.join(', ')}: no effect, because spec.networkPolicy is not Enforced; set spec.networkPolicy to Enforced.`;
  const isOff = spec.networkPolicy !== 'Enforced';
  return when(isOff && ignored.length > 0, 'NetworkPolicyNotEnforced', message);
}

function disruptionBudgets({ spec }: Subject): readonly Warning[] {
  return allSettings(spec).flatMap(([key, { podDisruptionBudgetConfig: budget, replicas = 1 }]) => {
    const { minAvailable, maxUnavailable } = budget ?? {};
    const all =
      minAvailable === '100%' || (typeof minAvailable === 'number' && minAvailable >= replicas);
    const none = maxUnavailable === 0 || maxUnavailable === '0%';
    const message = `spec.components.${key}.podDisruptionBudgetConfig: allows no eviction, so nodes with these Pods cannot be drained; use more replicas or a less strict budget.`;
    return when(all || none, 'DisruptionBudgetBlocksDrain', message);
  });
}

function replicas({ spec }: Subject): readonly Warning[] {
  const stopped = allSettings(spec).filter(([, settings]) => settings.replicas === 0);
  return stopped.map(([key]) => ({
    reason: 'ComponentStopped',
    message: `spec.components.${key}.replicas: 0 replicas, so the component does not run; set 1 or more to start it.`,
  }));
}

function loadBalancerClass({ spec }: Subject): readonly Warning[] {
  const server = spec.components.karmadaAPIServer;
  const unused = Boolean(server.loadBalancerClass) && server.serviceType !== 'LoadBalancer';
  const message =
    'spec.components.karmadaAPIServer.loadBalancerClass: has no effect without serviceType LoadBalancer; remove it or set serviceType.';
  return when(unused, 'LoadBalancerClassIgnored', message);
}

function hostEndpoint({ spec }: Subject): readonly Warning[] {
  const { apiEndpoint, secretRef } = spec.hostCluster;
  const message =
    'spec.hostCluster.apiEndpoint: has no effect without secretRef, because the control plane runs in the cluster of the operator; remove it or set secretRef.';
  return when(Boolean(apiEndpoint) && !secretRef?.name, 'ApiEndpointIgnored', message);
}

function plainDownload({ spec }: Subject): readonly Warning[] {
  const { url = '', sha256 } = spec.crdTarball?.httpSource ?? {};
  const message =
    'spec.crdTarball.httpSource.url: plain http, so the archive can be modified in transit; use https or set sha256.';
  return when(/^http:\/\/./i.test(url) && !sha256, 'PlaintextDownload', message);
}

function passwordInUrl({ spec }: Subject): readonly Warning[] {
  const { url = '', proxy } = spec.crdTarball?.httpSource ?? {};
  const fields = [
    ['url', url],
    ['proxy.proxyURL', proxy?.proxyURL ?? ''],
  ] as const;
  return fields.flatMap(([field, value]) =>
    when(
      /^[^/?#]*:\/\/[^/?#]*@/.test(value),
      'PasswordInUrl',
      `spec.crdTarball.httpSource.${field}: contains a user name or password, visible to all readers of the Karmada; use spec.crdTarball.secretRef or a URL without credentials.`,
    ),
  );
}

/** Validity period of CAs that the operator generates, in days. */
const CA_DAYS = 3650;

function longCertificates({ spec }: Subject): readonly Warning[] {
  const days = spec.customCertificate?.leafCertValidityDays ?? 0;
  const message = `spec.customCertificate.leafCertValidityDays: ${days} exceeds the ${CA_DAYS} days of a CA, and certificates expire with their CA; set a lower value.`;
  return when(days > CA_DAYS, 'CertificatesOutliveCA', message);
}
