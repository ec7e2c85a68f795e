/** Data that users and other servers control, and that only rotations read. */
import { JWKS_LIMITS } from '../../src/features/rotation/ask-api-server.ts';
import { RECORD_LIMITS } from '../../src/features/rotation/parse-record.ts';
import { MAX_ANSWER } from '../../src/features/rotation/pod-client.ts';
import { MAX_BUNDLES } from '../../src/features/rotation/trusting-objects.ts';
import { OWN_BUNDLE, PEM_BLOCKS, UNTRUSTED } from '../../src/untrusted/limits.ts';
import type { UntrustedInput } from './untrusted-input.ts';

export const ROTATION_INPUTS: readonly UntrustedInput[] = [
  {
    data: 'record of rotations in an annotation of the CA backup Secret',
    owner: 'administrator of a host',
    limit: RECORD_LIMITS.size,
    more: `${RECORD_LIMITS.values} values`,
    reader: 'src/features/rotation/parse-record.ts',
  },
  {
    data: 'keys and tokens that an API server shows during a rotation',
    owner: 'author of Karmadas, administrator of a host',
    limit: JWKS_LIMITS.size,
    more: `${JWKS_LIMITS.values} values`,
    reader: 'src/features/rotation/ask-api-server.ts',
  },
  {
    data: 'responses of Pods that a rotation asks with leaf certificates',
    owner: 'author of Karmadas, administrator of a host',
    limit: MAX_ANSWER,
    reader: 'src/features/rotation/pod-client.ts',
  },
  {
    data: 'certificates that Pods present in a rotation of a CA',
    owner: 'author of Karmadas, administrator of a host',
    limit: UNTRUSTED.pem,
    reader: 'src/untrusted/x509.ts',
  },
  {
    data: 'CA bundles in webhook configurations, APIServices, CRDs and `cluster-info` in a rotation of a CA',
    owner: 'administrator of a control plane',
    limit: OWN_BUNDLE.size,
    more: `${OWN_BUNDLE.blocks} blocks of at most ${OWN_BUNDLE.block / 1_024} KiB; ${MAX_BUNDLES} bundles`,
    reader: 'src/features/rotation/trusting-objects.ts',
  },
  {
    data: 'answer to the certificate request of a rotation of a CA',
    owner: 'administrator of a control plane',
    limit: OWN_BUNDLE.size,
    reader: 'src/features/rotation/signed-request.ts',
  },
  {
    data: 'CA bundle in the ConfigMap `extension-apiserver-authentication` in a rotation of a CA',
    owner: 'administrator of a control plane',
    limit: UNTRUSTED.pem,
    more: `${PEM_BLOCKS} blocks`,
    reader: 'src/features/rotation/shared-trust.ts',
  },
];
