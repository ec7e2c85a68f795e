/** What works but is unwise, or has no effect: shown as a condition, never refused. */
import type { DefaultedSpec } from './defaults.ts';
import { quoted } from './field-error.ts';
import type { Karmada } from './karmada.ts';
import type { Subject, Warning, WarningRule } from './warning.ts';
import { allSettings, when } from './warning.ts';
import { ETCD_WARNINGS } from './warnings-etcd.ts';
import { VERSION_WARNINGS } from './warnings-versions.ts';

export type { Warning } from './warning.ts';

/**
 * All warnings about a Karmada that `validate` accepts.
 * @param karmada the object itself, for its name and namespace
 * @param spec its spec with all defaults
 */
export function warnings(karmada: Karmada, spec: DefaultedSpec): readonly Warning[] {
  const { name, namespace = '' } = karmada.metadata;
  const subject = { name, namespace, spec };
  return RULES.flatMap((rule) => rule(subject));
}

const RULES: readonly WarningRule[] = [
  leadingDigit,
  ...ETCD_WARNINGS,
  ...VERSION_WARNINGS,
  disruptionBudgets,
  replicas,
  loadBalancerClass,
  hostEndpoint,
  plainDownload,
  passwordInUrl,
  longCertificates,
];

function leadingDigit({ name }: Subject): readonly Warning[] {
  const message = `metadata.name ${quoted(name)} begins with a digit, which many releases of Kubernetes refuse in the name of a Service; use a name that begins with a letter.`;
  return when(/^[0-9]/.test(name), 'NameBeginsWithDigit', message);
}

function disruptionBudgets({ spec }: Subject): readonly Warning[] {
  return allSettings(spec).flatMap(([key, { podDisruptionBudgetConfig: budget, replicas = 1 }]) => {
    const { minAvailable, maxUnavailable } = budget ?? {};
    const all =
      minAvailable === '100%' || (typeof minAvailable === 'number' && minAvailable >= replicas);
    const none = maxUnavailable === 0 || maxUnavailable === '0%';
    const message = `spec.components.${key}.podDisruptionBudgetConfig lets no pod go, so its node can never be drained; use more replicas or a lower bound.`;
    return when(all || none, 'DisruptionBudgetBlocksDrain', message);
  });
}

function replicas({ spec }: Subject): readonly Warning[] {
  const stopped = allSettings(spec).filter(([, settings]) => settings.replicas === 0);
  return stopped.map(([key]) => ({
    reason: 'ComponentStopped',
    message: `spec.components.${key}.replicas is 0: what it does is not done.`,
  }));
}

function loadBalancerClass({ spec }: Subject): readonly Warning[] {
  const server = spec.components.karmadaAPIServer;
  const unused = Boolean(server.loadBalancerClass) && server.serviceType !== 'LoadBalancer';
  const message =
    'spec.components.karmadaAPIServer.loadBalancerClass has no effect without serviceType LoadBalancer; remove it or set the type.';
  return when(unused, 'LoadBalancerClassIgnored', message);
}

function hostEndpoint({ spec }: Subject): readonly Warning[] {
  const { apiEndpoint, secretRef } = spec.hostCluster;
  const message =
    'spec.hostCluster.apiEndpoint has no effect without secretRef, as the host is the cluster of the operator; remove it or name a Secret.';
  return when(Boolean(apiEndpoint) && !secretRef?.name, 'ApiEndpointIgnored', message);
}

function plainDownload({ spec }: Subject): readonly Warning[] {
  const { url = '', sha256 } = spec.crdTarball?.httpSource ?? {};
  const message =
    'spec.crdTarball.httpSource.url is plain http: what is downloaded can be changed on the way; use https or set sha256.';
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
      `spec.crdTarball.httpSource.${field} has a user or a password in it, which everybody who may read the Karmada sees; use spec.crdTarball.secretRef or an address without log-in.`,
    ),
  );
}

/** Life of a CA of the operator. */
const CA_DAYS = 3650;

function longCertificates({ spec }: Subject): readonly Warning[] {
  const days = spec.customCertificate?.leafCertValidityDays ?? 0;
  const message = `spec.customCertificate.leafCertValidityDays is ${days}, longer than the ${CA_DAYS} days of a CA: certificates end with their CA; set less.`;
  return when(days > CA_DAYS, 'CertificatesOutliveCA', message);
}
