/** Flags that bound what Karmadas may make the operator do. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ALLOWED_NAMESPACES_ANNOTATION, CROSS_NAMESPACE_SECRETS } from './api/secret-grant.ts';
import { DEFAULT_ADDRESSES, parseCidr, type AddressPolicy } from './kubernetes/addresses.ts';

function addresses(text: string): AddressPolicy {
  try {
    return { allowed: text.split(',').map((range) => parseCidr(range.trim())) };
  } catch {
    throw new InvalidArgumentError('give ranges such as 127.0.0.0/8, separated by commas.');
  }
}

/** Adds them. */
export function addTenantLimits(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--cross-namespace-secrets <mode>',
        `Secrets in other namespaces that a Karmada may name: those that allow it with the annotation ${ALLOWED_NAMESPACES_ANNOTATION}, or any`,
      )
        .choices(CROSS_NAMESPACE_SECRETS)
        .default('Granted'),
    )
    .option(
      '--allow-addresses <cidr,...>',
      'loopback, link-local or metadata addresses that a Karmada may name nevertheless',
      addresses,
      DEFAULT_ADDRESSES,
    );
}
