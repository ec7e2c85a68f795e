/** Finds the DNS domain of a cluster in the configuration of CoreDNS. Pure functions. */

/**
 * Returns the zones for Services in a Corefile, without those for reverse lookups.
 * @param corefile such as `.:53 {\n  kubernetes cluster.local in-addr.arpa ip6.arpa {`
 */
export function serviceZones(corefile: string): readonly string[] {
  return corefile
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([plugin]) => plugin === 'kubernetes')
    .flatMap(([, ...zones]) => zones)
    .map((zone) => zone.replace(/\.$/, ''))
    .filter((zone) => zone !== '' && zone !== '{' && !zone.endsWith('.arpa'));
}
