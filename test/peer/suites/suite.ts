/** What this repository changes in an e2e suite of the Karmada module, and the specs that it leaves out. Plain values. */

/** A replacement of text in a file of the Karmada module. */
export interface Alteration {
  /** Path in the module. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly reason: string;
}

/** Specs that do not run: all with a label, or all whose full name matches. */
export type LeftOut = ({ readonly label: string } | { readonly pattern: string }) & {
  readonly reason: string;
};

export interface PeerSuite {
  readonly name: 'operator' | 'base';
  /** Package in the module. */
  readonly package: string;
  /** Further programs that the suite needs, besides karmadactl: their packages in the module by file name. */
  readonly programs: Readonly<Record<string, string>>;
  /** Number of processes that run specs. Specs that Karmada marks as serial run alone in any case. */
  readonly processes: number;
  /** Flags of the suite that make it faster, and change no spec. */
  readonly flags: readonly string[];
  readonly alterations: readonly Alteration[];
  /** Names of images in the specs for which the clusters have an image with BusyBox. */
  readonly standIns: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * Applies the alterations of one file, to all occurrences.
 * @throws Error if a text is not in the file, so that no alteration is silently without effect
 */
export function altered(text: string, alterations: readonly Alteration[]): string {
  return alterations.reduce((before, { file, find, replace }) => {
    if (!before.includes(find)) throw new Error(`${file}: does not contain ${find}`);
    return before.replaceAll(find, () => replace);
  }, text);
}

/** Flags of Ginkgo that leave out these specs. Of several label filters, Ginkgo uses the last one only. */
export function filterFlags(leftOut: readonly LeftOut[]): string[] {
  const labels = leftOut.flatMap((one) => ('label' in one ? [`!${one.label}`] : []));
  return [
    ...leftOut.flatMap((one) => ('pattern' in one ? [`--skip=${one.pattern}`] : [])),
    ...(labels.length > 0 ? [`--label-filter=${labels.join(' && ')}`] : []),
  ];
}
