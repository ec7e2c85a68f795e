/** Fields of the spec about connections to and from the Pods of a control plane. */
import { DNS_LABEL } from './kubernetes/patterns.ts';
import { flag, list, object, SHOWN, text } from './schema.ts';
import { RANGE_PATTERN } from './syntax.ts';

export const networkFields = {
  monitoring: object('Access of a monitoring system to the metrics of the components.', {
    clientCertificate: flag(
      'If true, the operator issues a client certificate that may only read metrics. Its Secret has the suffix -metrics-client. Defaults to false. A change restarts no Pod.',
    ),
    namespaces: list(
      'Namespaces of the host cluster whose Pods may connect to the ports with metrics while networkPolicy is Enforced. Defaults to all Pods of the host cluster if clientCertificate is true, otherwise to none.',
      text('Name of a Namespace.', { maxLength: 63, ...DNS_LABEL }),
      { maxItems: 64 },
    ),
  }),
  networkPolicy: text(
    'Enforced: a NetworkPolicy for each component allows only the connections that the control plane needs. None: no NetworkPolicy. The network of the host cluster must enforce NetworkPolicies. Defaults to None. A change restarts no Pod.',
    { enum: ['None', 'Enforced'] },
  ),
  egressCIDRs: list(
    'Address ranges to which components that call addresses outside of the control plane may connect while networkPolicy is Enforced, such as those of member clusters, webhooks and stores of backups. DNS servers and the Pods of the control plane need no range. Defaults to all addresses.',
    text('Address range, such as 203.0.113.0/24.', {
      maxLength: 49,
      pattern: RANGE_PATTERN,
      ...SHOWN,
    }),
    { maxItems: 64 },
  ),
} as const;
