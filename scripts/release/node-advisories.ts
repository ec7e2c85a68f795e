/** Faults of Node.js that forbid a release. Pure functions. */
import { gte, major } from 'semver';

export interface NodeAdvisory {
  readonly ids: readonly string[];
  /** What the fault allows. */
  readonly fault: string;
  /** First version with the fix, by major version. Newer major versions have the fix; all others lack it. */
  readonly fixed: Readonly<Record<number, string>>;
}

/**
 * Faults in the security release of Node.js of 2026-10-21. Sources: the changelog of Node.js 26.12.1, and the records of
 * OSV for the packages nodejs-22, nodejs-24 and nodejs-26 of Wolfi.
 */
export const NODE_ADVISORIES: readonly NodeAdvisory[] = [
  {
    ids: ['CVE-2026-106069', 'CVE-2026-106072', 'CVE-2026-105483', 'CVE-2026-105482'],
    fault:
      'TLS accepts the certificate of another host for a name that is an unusual form of an IP address, and DNS queries accept null bytes',
    fixed: { 22: '22.23.4', 24: '24.22.1', 26: '26.12.1' },
  },
];

/** Node.js of one platform of a release. */
export interface PlatformNode {
  readonly architecture: string;
  readonly nodePackage: string;
  readonly version: string;
}

/** Returns the advisories whose fix a version of Node.js lacks. */
export const openAdvisories = (
  version: string,
  advisories: readonly NodeAdvisory[] = NODE_ADVISORIES,
): NodeAdvisory[] => advisories.filter(({ fixed }) => !isFixed(version, fixed));

function isFixed(version: string, fixed: NodeAdvisory['fixed']): boolean {
  const own = major(version);
  const first = fixed[own];
  return first === undefined
    ? own > Math.max(...Object.keys(fixed).map(Number))
    : gte(version, first);
}

/** Returns the reasons against a release in the Node.js of its platforms; empty if there are none. */
export function nodeRefusals(
  nodes: readonly PlatformNode[],
  advisories: readonly NodeAdvisory[] = NODE_ADVISORIES,
): string[] {
  return nodes.flatMap(({ architecture, nodePackage, version }) =>
    openAdvisories(version, advisories).map(({ ids, fault, fixed }) => {
      const versions = Object.values(fixed).join(' or ');
      return `linux/${architecture}: Node.js ${version} lacks the fix of ${ids.join(', ')} (${fault}): lock ${nodePackage} ${versions}, or a newer version, in package.json`;
    }),
  );
}
