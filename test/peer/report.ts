/** Reads the JSON report of Ginkgo: pure. */
import type { PeerSuite } from './alterations.ts';

interface GinkgoSpec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

type GinkgoReport = readonly { readonly SpecReports: readonly GinkgoSpec[] | null }[];

export interface PeerResult {
  readonly passed: readonly string[];
  /** Name and message of each spec or suite node that failed. */
  readonly failed: readonly string[];
  /** Specs that the filter left out, or that skipped themselves. */
  readonly skipped: readonly string[];
}

/** @param json content of the report @throws SyntaxError */
export function readReport(json: string): PeerResult {
  const specs = (JSON.parse(json) as GinkgoReport).flatMap(({ SpecReports }) => SpecReports ?? []);
  const named = specs.map((spec) => ({ ...spec, name: nameOf(spec), isSpec: isSpec(spec) }));
  const isPassed = ({ State, isSpec }: (typeof named)[number]): boolean =>
    isSpec && State === 'passed';
  const isLeftOut = ({ State }: GinkgoSpec): boolean => State === 'skipped' || State === 'pending';
  return {
    passed: named.filter(isPassed).map(({ name }) => name),
    failed: named
      .filter((spec) => spec.State !== 'passed' && !isLeftOut(spec))
      .map(({ name, State, Failure }) => `${name}: ${Failure?.Message ?? State}`),
    skipped: named.filter((spec) => spec.isSpec && isLeftOut(spec)).map(({ name }) => name),
  };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 400);

const isSpec = ({ LeafNodeType }: GinkgoSpec): boolean => LeafNodeType === 'It';

const nameOf = ({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType }: GinkgoSpec): string =>
  [...(ContainerHierarchyTexts ?? []), LeafNodeText || LeafNodeType].join(' › ');

/** Text of a result, with the alterations and the specs that did not run. */
export function resultText(release: string, suite: PeerSuite, result: PeerResult): string {
  const { passed, failed, skipped } = result;
  const counts = `${passed.length} passed, ${failed.length} failed, ${skipped.length} left out`;
  return [
    `Karmada ${release}, suite ${suite.name}: ${counts}`,
    ...passed.map((name) => `  passed    ${name}`),
    ...failed.map((name) => `  failed    ${oneLine(name)}`),
    ...skipped.map((name) => `  left out  ${name}`),
    ...suite.alterations.map(
      ({ file, find, reason }) => `  altered   ${file}: ${oneLine(find)} (${reason})`,
    ),
    ...suite.leftOut.map(({ pattern, reason }) => `  left out  /${pattern}/ (${reason})`),
  ].join('\n');
}
