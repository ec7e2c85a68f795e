/** Reasons of an external etcd. */
import { BLOCKED, PROBLEM, reasonTable } from './reason.ts';

/** Conditions of an external etcd that fails its health check. */
const UNHEALTHY = ['EtcdHealthy', 'EtcdReady', 'Warning', ...PROBLEM] as const;

/** Conditions of a client Secret that cannot be used. */
const UNUSABLE = ['EtcdHealthy', 'EtcdReady', ...PROBLEM] as const;

/** Conditions of an etcd whose data is not that of the control plane. */
const NOT_USED = ['EtcdReady', ...PROBLEM, ...BLOCKED] as const;

export const EXTERNAL_ETCD_REASONS = reasonTable([
  {
    reason: 'EtcdShared',
    fault: 'spec',
    types: ['EtcdReady', 'Warning', ...PROBLEM],
    meaning: 'A Karmada that was created earlier uses the same key prefix in the same etcd.',
    action:
      'Set another etcd-prefix in extraArgs of karmadaAPIServer, karmadaAggregatedAPIServer and karmadaSearch.',
  },
  {
    reason: 'EtcdPending',
    fault: 'none',
    types: ['EtcdReady', ...BLOCKED],
    meaning:
      'The operator has not checked the new connection settings yet. The API servers keep the current ones.',
    action: 'Wait for the health check.',
  },
  {
    reason: 'EtcdSecretChanged',
    fault: 'none',
    types: ['EtcdReady', ...BLOCKED],
    meaning: 'The client Secret changed after its last check. The operator checks it again.',
    action: 'Wait for the next check.',
  },
  {
    reason: 'EtcdSecretNotCopied',
    fault: 'api',
    types: ['EtcdReady', ...PROBLEM],
    meaning: 'The operator could not replicate the client Secret to the Namespace of the Karmada.',
    action: 'Resolve the conflict or the policy that the message names.',
  },
  {
    reason: 'EtcdSecretReadFailed',
    fault: 'api',
    types: UNUSABLE,
    meaning: 'The operator could not read the client Secret. The operator retries.',
    action: 'Check the API server and the RBAC permissions of the operator.',
  },
  {
    reason: 'EtcdSecretMissing',
    fault: 'secret',
    types: UNUSABLE,
    meaning: 'The client Secret does not exist.',
    action: 'Create it with the keys ca.crt, tls.crt and tls.key.',
  },
  {
    reason: 'EtcdSecretIncomplete',
    fault: 'secret',
    types: UNUSABLE,
    meaning: 'The client Secret lacks ca.crt, tls.crt or tls.key.',
    action: 'Add the keys that the message names.',
  },
  {
    reason: 'EtcdSecretInvalid',
    fault: 'secret',
    types: UNUSABLE,
    meaning: 'The client Secret has a certificate or private key that is not valid.',
    action: 'Correct the key that the message names.',
  },
  {
    reason: 'EtcdClientCertificateExpired',
    fault: 'secret',
    types: UNUSABLE,
    meaning: 'The client certificate in tls.crt is expired or not valid yet.',
    action: 'Store a valid client certificate in the Secret.',
  },
  {
    reason: 'EtcdClientCertificateExpiring',
    fault: 'secret',
    types: ['Warning'],
    meaning: 'The client certificate in tls.crt expires in less than 14 days.',
    action: 'Store a new client certificate in the Secret; the API servers reload it.',
  },
  {
    reason: 'EtcdClientCertificateRefused',
    fault: 'secret',
    types: UNHEALTHY,
    meaning: 'The external etcd rejects the client certificate.',
    action: 'Use a client certificate that a client CA of this etcd signed.',
  },
  {
    reason: 'EtcdUnreachable',
    fault: 'network',
    types: UNHEALTHY,
    meaning: 'An endpoint of the external etcd does not accept connections.',
    action:
      'Start the etcd member, or correct spec.components.etcd.external.endpoints or the network.',
  },
  {
    reason: 'EtcdDataForeign',
    fault: 'decision',
    types: NOT_USED,
    meaning:
      'The etcd has data of another API server, or of unknown origin, below the key prefix of the control plane. The operator does not use it.',
    action:
      'Set another key prefix, or use another etcd. To take over exactly this data, run the command of the message.',
  },
  {
    reason: 'EtcdDataMissing',
    fault: 'decision',
    types: NOT_USED,
    meaning:
      'The control plane was to move to an etcd without its data. The operator does not move it.',
    action: 'Restore a snapshot into the etcd, or correct the endpoints.',
  },
  {
    reason: 'EtcdDataUnread',
    fault: 'secret',
    types: NOT_USED,
    meaning: 'The keys of the etcd cannot be read, so it is not known whose data it has.',
    action: 'Grant the user of the client certificate access to the key prefix, or wait.',
  },
  {
    reason: 'EtcdNameNotResolved',
    fault: 'network',
    types: UNHEALTHY,
    meaning: 'The DNS name of an endpoint cannot be resolved.',
    action:
      'Correct the name in spec.components.etcd.external.endpoints, or the DNS of the cluster.',
  },
  {
    reason: 'EtcdAddressNotAllowed',
    fault: 'spec',
    types: UNHEALTHY,
    meaning: 'An endpoint is a loopback, link-local or metadata address.',
    action: 'Use another address, or start the operator with --allow-addresses.',
  },
  {
    reason: 'EtcdSchemeWrong',
    fault: 'spec',
    types: UNHEALTHY,
    meaning:
      'An endpoint uses TLS but has the scheme http, or uses no TLS but has the scheme https.',
    action: 'Correct the scheme in spec.components.etcd.external.endpoints.',
  },
  {
    reason: 'EtcdCertificateNameMismatch',
    fault: 'ca',
    types: UNHEALTHY,
    meaning: 'The server certificate does not contain the name of the endpoint in its SANs.',
    action: 'Use a name of the certificate in the endpoint, or reissue the server certificate.',
  },
  {
    reason: 'EtcdServerCertificateExpired',
    fault: 'ca',
    types: UNHEALTHY,
    meaning:
      'The server certificate, or a CA certificate of its chain, is expired or not valid yet.',
    action: 'Renew the server certificates of the etcd, and check the clocks.',
  },
  {
    reason: 'EtcdCertificateUntrusted',
    fault: 'ca',
    types: UNHEALTHY,
    meaning: 'The server certificate is not signed by a CA in ca.crt.',
    action: 'Add the CA of the server certificate to ca.crt of the client Secret.',
  },
  {
    reason: 'EtcdCheckDelayed',
    fault: 'network',
    types: UNHEALTHY,
    meaning:
      'The operator was busy with the checks of other external etcds for more than 60 s. The operator retries.',
    action:
      'Wait for the next check. If the reason stays, look for external etcds whose servers have long certificate chains.',
  },
  {
    reason: 'EtcdHandshakeFailed',
    fault: 'network',
    types: UNHEALTHY,
    meaning: 'The TLS handshake with an endpoint failed.',
    action: 'Check that the endpoint is the client URL of an etcd.',
  },
  {
    reason: 'NotEtcd',
    fault: 'network',
    types: UNHEALTHY,
    meaning: 'The server at an endpoint does not respond as an etcd.',
    action: 'Set the client URL of an etcd in spec.components.etcd.external.endpoints.',
  },
  {
    reason: 'EtcdUnhealthy',
    fault: 'component',
    types: UNHEALTHY,
    meaning: 'An endpoint reports that it is not healthy, or its health check timed out.',
    action: 'Read the log of the etcd member, and check that a majority of the etcd members runs.',
  },
]);
