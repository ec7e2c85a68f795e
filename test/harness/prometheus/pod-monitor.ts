/** Scrape configurations that the Prometheus Operator generates for a PodMonitor: pure functions. */

interface SecretKey {
  readonly name: string;
  readonly key: string;
}

interface TlsConfig {
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly ca?: { readonly secret: SecretKey };
  readonly cert: { readonly secret: SecretKey };
  readonly keySecret: SecretKey;
}

interface Endpoint {
  readonly port: string;
  readonly scheme?: 'http' | 'https';
  readonly tlsConfig?: TlsConfig;
}

/** The fields of a PodMonitor that the documents use. */
export interface PodMonitor {
  readonly kind: 'PodMonitor';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly jobLabel: string;
    readonly podTargetLabels: readonly string[];
    readonly selector: {
      readonly matchLabels: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly {
        readonly key: string;
        readonly operator: 'In';
        readonly values: readonly string[];
      }[];
    };
    readonly podMetricsEndpoints: readonly Endpoint[];
  };
}

const META = '__meta_kubernetes_pod';
const sanitized = (label: string): string => label.replaceAll(/[^A-Za-z0-9_]/g, '_');
const keep = (source: string, ...values: readonly string[]): object => ({
  source_labels: [`${META}_${source}`],
  regex: values.join('|'),
  action: 'keep',
});
const copy = (source: string, target: string): object => ({
  source_labels: [source],
  target_label: target,
});

/**
 * Returns one scrape configuration per endpoint.
 * @param pathOf returns the path of a key of a mounted Secret
 */
export function scrapeConfigsOf(
  { metadata, spec }: PodMonitor,
  pathOf: (secret: SecretKey) => string,
): readonly object[] {
  const { matchLabels, matchExpressions = [] } = spec.selector;
  const selected = [
    ...Object.entries(matchLabels).map(([key, value]) => keep(`label_${sanitized(key)}`, value)),
    ...matchExpressions.map(({ key, values }) => keep(`label_${sanitized(key)}`, ...values)),
  ];
  return spec.podMetricsEndpoints.map(({ port, scheme = 'http', tlsConfig }, index) => ({
    job_name: `podMonitor/${metadata.namespace}/${metadata.name}/${String(index)}`,
    scheme,
    kubernetes_sd_configs: [{ role: 'pod', namespaces: { names: [metadata.namespace] } }],
    ...(tlsConfig && { tls_config: tlsOf(tlsConfig, pathOf) }),
    relabel_configs: [
      { source_labels: [`${META}_phase`], regex: 'Failed|Succeeded', action: 'drop' },
      ...selected,
      keep('container_port_name', port),
      copy('__meta_kubernetes_namespace', 'namespace'),
      copy(`${META}_name`, 'pod'),
      ...spec.podTargetLabels.map((label) =>
        copy(`${META}_label_${sanitized(label)}`, sanitized(label)),
      ),
      copy(`${META}_label_${sanitized(spec.jobLabel)}`, 'job'),
    ],
  }));
}

const tlsOf = (
  { serverName, insecureSkipVerify, ca, cert, keySecret }: TlsConfig,
  pathOf: (secret: SecretKey) => string,
): object => ({
  server_name: serverName,
  insecure_skip_verify: insecureSkipVerify,
  ...(ca && { ca_file: pathOf(ca.secret) }),
  cert_file: pathOf(cert.secret),
  key_file: pathOf(keySecret),
});
