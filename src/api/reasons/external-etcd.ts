/** Reasons of an external etcd. */
import { BLOCKED, PROBLEM, reasonTable, rowsIn } from './reason.ts';

/** Conditions of an external etcd that fails its health check. */
const UNHEALTHY = ['EtcdHealthy', 'EtcdReady', 'Warning', ...PROBLEM] as const;

/** Conditions of a client Secret that cannot be used. */
const UNUSABLE = ['EtcdHealthy', 'EtcdReady', ...PROBLEM] as const;

/** Conditions of an etcd whose data is not that of the control plane. */
const NOT_USED = ['EtcdReady', ...PROBLEM, ...BLOCKED] as const;

const unusable = rowsIn(UNUSABLE);
const notUsed = rowsIn(NOT_USED);
const unhealthy = rowsIn(UNHEALTHY);

export const EXTERNAL_ETCD_REASONS = reasonTable([
  rowsIn(['EtcdReady', 'Warning', ...PROBLEM])(
    'EtcdShared',
    'spec',
    'A Karmada that was created earlier uses the same key prefix in the same etcd.',
    'Set another etcd-prefix in extraArgs of karmadaAPIServer, karmadaAggregatedAPIServer and karmadaSearch.',
  ),
  rowsIn(['EtcdReady', ...BLOCKED])(
    'EtcdPending',
    'none',
    'The operator has not checked the new connection settings yet. The API servers keep the current ones.',
    'Wait for the health check.',
  ),
  rowsIn(['EtcdReady', ...BLOCKED])(
    'EtcdSecretChanged',
    'none',
    'The client Secret changed after its last check. The operator checks it again.',
    'Wait for the next check.',
  ),
  rowsIn(['EtcdReady', ...PROBLEM])(
    'EtcdSecretNotCopied',
    'api',
    'The operator could not replicate the client Secret to the Namespace of the Karmada.',
    'Resolve the conflict or the policy that the message names.',
  ),
  unusable(
    'EtcdSecretReadFailed',
    'api',
    'The operator could not read the client Secret. The operator retries.',
    'Check the API server and the RBAC permissions of the operator.',
  ),
  unusable(
    'EtcdSecretMissing',
    'secret',
    'The client Secret does not exist.',
    'Create it with the keys ca.crt, tls.crt and tls.key.',
  ),
  unusable(
    'EtcdSecretIncomplete',
    'secret',
    'The client Secret lacks ca.crt, tls.crt or tls.key.',
    'Add the keys that the message names.',
  ),
  unusable(
    'EtcdSecretInvalid',
    'secret',
    'The client Secret has a certificate or private key that is not valid.',
    'Correct the key that the message names.',
  ),
  unusable(
    'EtcdClientCertificateExpired',
    'secret',
    'The client certificate in tls.crt is expired or not valid yet.',
    'Store a valid client certificate in the Secret.',
  ),
  rowsIn(['Warning'])(
    'EtcdClientCertificateExpiring',
    'secret',
    'The client certificate in tls.crt expires in less than 14 days.',
    'Store a new client certificate in the Secret; the API servers reload it.',
  ),
  unhealthy(
    'EtcdClientCertificateRefused',
    'secret',
    'The external etcd rejects the client certificate.',
    'Use a client certificate that a client CA of this etcd signed.',
  ),
  unhealthy(
    'EtcdUnreachable',
    'network',
    'An endpoint of the external etcd does not accept connections.',
    'Start the etcd member, or correct spec.components.etcd.external.endpoints or the network.',
  ),
  notUsed(
    'EtcdDataForeign',
    'decision',
    'The etcd has data of another API server, or of unknown origin, below the key prefix of the control plane. The operator does not use it.',
    'Set another key prefix, or use another etcd. To take over exactly this data, run the command of the message.',
  ),
  notUsed(
    'EtcdDataMissing',
    'decision',
    'The control plane was to move to an etcd without its data. The operator does not move it.',
    'Restore a snapshot into the etcd, or correct the endpoints.',
  ),
  notUsed(
    'EtcdDataUnread',
    'secret',
    'The keys of the etcd cannot be read, so it is not known whose data it has.',
    'Grant the user of the client certificate access to the key prefix, or wait.',
  ),
  unhealthy(
    'EtcdNameNotResolved',
    'network',
    'The DNS name of an endpoint cannot be resolved.',
    'Correct the name in spec.components.etcd.external.endpoints, or the DNS of the cluster.',
  ),
  unhealthy(
    'EtcdAddressNotAllowed',
    'spec',
    'An endpoint is a loopback, link-local or metadata address.',
    'Use another address, or start the operator with --allow-addresses.',
  ),
  unhealthy(
    'EtcdSchemeWrong',
    'spec',
    'An endpoint uses TLS but has the scheme http, or uses no TLS but has the scheme https.',
    'Correct the scheme in spec.components.etcd.external.endpoints.',
  ),
  unhealthy(
    'EtcdCertificateNameMismatch',
    'ca',
    'The server certificate does not contain the name of the endpoint in its SANs.',
    'Use a name of the certificate in the endpoint, or reissue the server certificate.',
  ),
  unhealthy(
    'EtcdServerCertificateExpired',
    'ca',
    'The server certificate, or a CA certificate of its chain, is expired or not valid yet.',
    'Renew the server certificates of the etcd, and check the clocks.',
  ),
  unhealthy(
    'EtcdCertificateUntrusted',
    'ca',
    'The server certificate is not signed by a CA in ca.crt.',
    'Add the CA of the server certificate to ca.crt of the client Secret.',
  ),
  unhealthy(
    'EtcdCheckDelayed',
    'network',
    'The operator was busy with the checks of other external etcds for more than 60 s. The operator retries.',
    'Wait for the next check. If the reason stays, look for external etcds whose servers have long certificate chains.',
  ),
  unhealthy(
    'EtcdHandshakeFailed',
    'network',
    'The TLS handshake with an endpoint failed.',
    'Check that the endpoint is the client URL of an etcd.',
  ),
  unhealthy(
    'NotEtcd',
    'network',
    'The server at an endpoint does not respond as an etcd.',
    'Set the client URL of an etcd in spec.components.etcd.external.endpoints.',
  ),
  unhealthy(
    'EtcdUnhealthy',
    'component',
    'An endpoint reports that it is not healthy, or its health check timed out.',
    'Read the log of the etcd member, and check that a majority of the etcd members runs.',
  ),
]);
