/** Flags that limit which Secrets and addresses a Karmada object can reference, and which Pods it can run. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ALLOWED_NAMESPACES_ANNOTATION, CROSS_NAMESPACE_SECRETS } from '../api/secret-grant.ts';
import { POD_SECURITY_LEVELS } from '../host-clusters/host-namespace.ts';
import { parseCidr, type AddressPolicy } from '../kubernetes/addresses.ts';
import { TENANT_PODS } from '../components/pod-security.ts';

function addresses(text: string): AddressPolicy {
  try {
    return { allowed: text.split(',').map((range) => parseCidr(range.trim())) };
  } catch {
    throw new InvalidArgumentError(
      'must be a comma-separated list of CIDR ranges such as 127.0.0.0/8.',
    );
  }
}

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
    );
}
