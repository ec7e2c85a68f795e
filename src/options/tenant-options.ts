/** Flags that limit which Secrets, addresses and host clusters Karmada objects can reference, and which Pods they can run. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  ALLOWED_NAMESPACES_ANNOTATION,
  CROSS_NAMESPACE_SECRETS,
  type CrossNamespaceSecrets,
} from '../api/secrets/secret-grant.ts';
import { MAX_HOST_CLUSTERS } from '../host-clusters/host-limits.ts';
import { POD_SECURITY_LEVELS, type PodSecurityLevel } from '../host-clusters/host-namespace.ts';
import {
  DEFAULT_ADDRESSES,
  parseCidr,
  type AddressPolicy,
} from '../kubernetes/connection/addresses.ts';
import { TENANT_PODS, type TenantPods } from '../components/pod-security.ts';
import { positive } from './flag-values.ts';

function addresses(text: string): AddressPolicy {
  try {
    return { allowed: text.split(',').map((range) => parseCidr(range.trim())) };
  } catch {
    throw new InvalidArgumentError(
      'must be a comma-separated list of CIDR ranges such as 127.0.0.0/8.',
    );
  }
}

export interface TenantFlags {
  allowAddresses?: AddressPolicy;
  crossNamespaceSecrets: CrossNamespaceSecrets;
  tenantPods: TenantPods;
  hostNamespacePodSecurity: PodSecurityLevel;
  maxHostClustersPerNamespace: number;
}

/** Settings from these flags. */
export interface TenantLimits {
  /** Whether a Secret in another namespace needs the annotation of its owner before a Karmada can use it. */
  readonly crossNamespaceSecrets: CrossNamespaceSecrets;
  /** Loopback, link-local and metadata addresses that a Karmada may use. */
  readonly addresses: AddressPolicy;
  /** Which Pods the operator creates for Karmadas. */
  readonly tenantPods: TenantPods;
  /** Pod Security level of namespaces that the operator creates in host clusters. */
  readonly hostPodSecurity: PodSecurityLevel;
  /** Maximum number of remote host clusters of a namespace. */
  readonly maxHostClusters: number;
}

/** Returns the settings of a command line. */
export const tenantLimits = (flags: TenantFlags): TenantLimits => ({
  crossNamespaceSecrets: flags.crossNamespaceSecrets,
  addresses: flags.allowAddresses ?? DEFAULT_ADDRESSES,
  tenantPods: flags.tenantPods,
  hostPodSecurity: flags.hostNamespacePodSecurity,
  maxHostClusters: flags.maxHostClustersPerNamespace,
});

/** Adds these flags to a command. */
export function addTenantLimits(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--cross-namespace-secrets <mode>',
        `which Secrets in other namespaces a Karmada may reference: Granted allows Secrets with the annotation ${ALLOWED_NAMESPACES_ANNOTATION}, Any allows all`,
      )
        .choices(CROSS_NAMESPACE_SECRETS)
        .default('Granted'),
    )
    .option(
      '--allow-addresses <cidr,...>',
      'loopback, link-local or metadata addresses that a Karmada may use, as CIDR ranges; denied by default',
      addresses,
    )
    .addOption(
      new Option(
        '--tenant-pods <mode>',
        'which Pods of control planes the operator creates: Restricted only those that meet the restricted Pod Security Standard, Any all',
      )
        .choices(TENANT_PODS)
        .default('Any'),
    )
    .addOption(
      new Option(
        '--host-namespace-pod-security <level>',
        'Pod Security level of namespaces that the operator creates in host clusters, if the namespace in the management cluster has none',
      )
        .choices(POD_SECURITY_LEVELS)
        .default('restricted'),
    )
    .option(
      '--max-host-clusters-per-namespace <n>',
      'maximum number of remote host clusters to which the operator connects for the Karmada objects of a namespace',
      positive,
      MAX_HOST_CLUSTERS,
    );
}
