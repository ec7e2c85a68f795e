/** Types of `spec.crdTarball`. */

type CrdDownloadPolicy = 'Always' | 'IfNotPresent';

/** Source of the CRDs of the control plane; exactly one of `httpSource`, `configMapRef` and `secretRef` is set. */
export interface CrdTarball {
  readonly httpSource?: HttpSource;
  readonly configMapRef?: ArchiveKeyReference;
  readonly secretRef?: ArchiveKeyReference;
  /** Only for `httpSource`. */
  readonly crdDownloadPolicy?: CrdDownloadPolicy;
}

export interface HttpSource {
  readonly url?: string;
  readonly proxy?: { readonly proxyURL?: string };
  /** Base64-encoded PEM certificates of the CAs to trust instead of the well-known CAs. */
  readonly caBundle?: string;
  /** Hexadecimal. */
  readonly sha256?: string;
}

/** Key in `binaryData` of a ConfigMap or `data` of a Secret, in the namespace of the Karmada. */
export interface ArchiveKeyReference {
  readonly name?: string;
  readonly key?: string;
}
