/** Types of `spec.crdTarball`. */

type CrdDownloadPolicy = 'Always' | 'IfNotPresent';

/** Source of the control plane's CRDs; exactly one of the three is set. */
export interface CrdTarball {
  readonly httpSource?: HttpSource;
  readonly configMapRef?: ArchiveKeyReference;
  readonly secretRef?: ArchiveKeyReference;
  /** For `httpSource` alone. */
  readonly crdDownloadPolicy?: CrdDownloadPolicy;
}

export interface HttpSource {
  readonly url?: string;
  readonly proxy?: { readonly proxyURL?: string };
  /** Base64 of PEM certificates to trust, in the place of the well-known ones. */
  readonly caBundle?: string;
  /** Hex. */
  readonly sha256?: string;
}

/** A key of a ConfigMap's `binaryData` or a Secret's `data`, in the Karmada's namespace. */
export interface ArchiveKeyReference {
  readonly name?: string;
  readonly key?: string;
}
