/** Flags of the metrics endpoint. Those of HTTPS have the names that operators based on kubebuilder use. */
import type { Command } from 'commander';
import type { PairFiles } from '../http/secure-metrics/certificates.ts';

/** HTTPS with authentication and authorization. */
export interface SecureMetrics {
  /** Absent for a self-signed certificate. */
  readonly files?: PairFiles;
}

/** Values of the flags. */
export interface MetricsFlags {
  readonly metricsSecure: boolean;
  readonly metricsCertPath?: string;
  readonly metricsCertName: string;
  readonly metricsCertKey: string;
}

/** Adds the flags to a command. @param boolean parses true and false */
export function addMetricsFlags(command: Command, boolean: (text: string) => boolean): Command {
  return command
    .option(
      '--metrics-secure [bool]',
      'serve /metrics over HTTPS, only to users who may get the non-resource URL /metrics',
      boolean,
      false,
    )
    .option(
      '--metrics-cert-path <directory>',
      'directory of the serving certificate of --metrics-secure; without it, a self-signed one',
    )
    .option('--metrics-cert-name <file>', 'name of the certificate file', 'tls.crt')
    .option('--metrics-cert-key <file>', 'name of the private key file', 'tls.key');
}

/** Settings of HTTPS; undefined for HTTP. */
export function secureMetrics(flags: MetricsFlags): SecureMetrics | undefined {
  const { metricsSecure, metricsCertPath: directory, ...names } = flags;
  if (!metricsSecure) return undefined;
  if (directory === undefined) return {};
  return {
    files: { directory, certificate: names.metricsCertName, key: names.metricsCertKey },
  };
}
