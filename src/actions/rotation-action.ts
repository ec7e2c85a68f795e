/** Actions of rotations of CAs and keys, besides those that write certificates. */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';

/** Write the record of the rotations of CAs and keys. */
interface RecordRotation {
  readonly kind: 'recordRotation';
  /** The CA backup Secret that was read live. */
  readonly backup: KubernetesObject;
  /** Value of the annotation. */
  readonly value: string;
  /** What the record changes, for the log. */
  readonly message: string;
  /** Whether it ends the rotation of keys. */
  readonly isLast: boolean;
  /** CertificateSigningRequests that the next phase does not need. */
  readonly endedRequests: readonly string[];
}

/** Create the ServiceAccount for whose tokens a rotation asks each API server. */
interface CreateTokenAccount {
  readonly kind: 'createTokenAccount';
}

/** Take a former CA out of the ConfigMap with which API servers publish the CAs of clients. */
interface EditSharedTrust {
  readonly kind: 'editSharedTrust';
  /** The ConfigMap that was read live. */
  readonly configMap: KubernetesObject;
  /** Changed values of the ConfigMap. */
  readonly data: Readonly<Record<string, string>>;
  /** What the edit changes, for the log. */
  readonly message: string;
}

/** Request a certificate from kube-controller-manager, and approve the request. */
interface RequestCertificate {
  readonly kind: 'requestCertificate';
  /** `metadata.name` of the CertificateSigningRequest. */
  readonly name: string;
}

/** Delete a CertificateSigningRequest that proves nothing. */
interface DeleteRequest {
  readonly kind: 'deleteRequest';
  /** As it was read live. */
  readonly request: KubernetesObject;
}

export type RotationAction =
  RecordRotation | CreateTokenAccount | EditSharedTrust | RequestCertificate | DeleteRequest;
