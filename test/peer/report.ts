/** Reads the JSON report of Ginkgo: pure. */
import { IDENTITIES } from '../../src/controlplane/rbac-rules.ts';
import type { ComponentFindings } from '../harness/component-audit/follow-components.ts';
import type { LeftOut, PeerSuite } from './suites/suite.ts';

interface GinkgoSpec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly LeafNodeLabels?: readonly string[] | null;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly ContainerHierarchyLabels?: readonly (readonly string[] | null)[] | null;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

type GinkgoReport = readonly { readonly SpecReports: readonly GinkgoSpec[] | null }[];

/** A spec that did not run. */
interface SkippedSpec {
  /** Texts of the containers and of the spec. */
  readonly texts: readonly string[];
  readonly labels: readonly string[];
  /** Why the spec skipped itself; empty if a filter left it out. */
  readonly message: string;
}

export interface PeerResult {
  readonly passed: readonly string[];
  /** Name and message of each spec or suite node that failed. */
  readonly failed: readonly string[];
  /** Specs that a filter left out, or that skipped themselves. */
  readonly skipped: readonly SkippedSpec[];
}

/** @param json content of the report @throws SyntaxError */
export function readReport(json: string): PeerResult {
  const specs = (JSON.parse(json) as GinkgoReport).flatMap(({ SpecReports }) => SpecReports ?? []);
  const isLeftOut = ({ State }: GinkgoSpec): boolean => State === 'skipped' || State === 'pending';
  return {
    passed: specs.filter((spec) => isSpec(spec) && spec.State === 'passed').map(nameOf),
    failed: specs
      .filter((spec) => spec.State !== 'passed' && !isLeftOut(spec))
      .map((spec) => `${nameOf(spec)}: ${spec.Failure?.Message ?? spec.State}`),
    skipped: specs.filter((spec) => isSpec(spec) && isLeftOut(spec)).map(skippedSpec),
  };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 400);

const isSpec = ({ LeafNodeType }: GinkgoSpec): boolean => LeafNodeType === 'It';

const textsOf = ({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType }: GinkgoSpec): string[] => [
  ...(ContainerHierarchyTexts ?? []),
  LeafNodeText || LeafNodeType,
];

const join = (texts: readonly string[]): string => texts.join(' › ');

const nameOf = (spec: GinkgoSpec): string => join(textsOf(spec));

const skippedSpec = (spec: GinkgoSpec): SkippedSpec => ({
  texts: textsOf(spec),
  labels: [...(spec.ContainerHierarchyLabels ?? []), spec.LeafNodeLabels].flatMap(
    (one) => one ?? [],
  ),
  message: spec.Failure?.Message ?? '',
});

/** Whether this entry leaves out the spec. Ginkgo joins texts with spaces. */
const matches = (one: LeftOut, { texts, labels }: SkippedSpec): boolean =>
  'label' in one ? labels.includes(one.label) : new RegExp(one.pattern).test(texts.join(' '));

const PENDING = 'Karmada has disabled this spec';

function reasonOf(spec: SkippedSpec, leftOut: readonly LeftOut[]): string {
  if (spec.message !== '') return spec.message;
  return leftOut.find((one) => matches(one, spec))?.reason ?? PENDING;
}

/** Entries that leave out no spec, because the suite has changed. */
export function unusedEntries(suite: PeerSuite, { skipped }: PeerResult): LeftOut[] {
  return suite.leftOut.filter((one) => !skipped.some((spec) => matches(one, spec)));
}

/** Specs that did not run, by reason. */
export function skippedByReason(
  suite: PeerSuite,
  { skipped }: PeerResult,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const spec of skipped) {
    const reason = reasonOf(spec, suite.leftOut);
    groups.set(reason, [...(groups.get(reason) ?? []), join(spec.texts)]);
  }
  return groups;
}

/** Text of a result, with the alterations and the specs that did not run. */
export function resultText(release: string, suite: PeerSuite, result: PeerResult): string {
  const { passed, failed, skipped } = result;
  const counts = `${passed.length} passed, ${failed.length} failed, ${skipped.length} left out`;
  return [
    `Karmada ${release}, suite ${suite.name}: ${counts}`,
    ...passed.map((name) => `  passed    ${name}`),
    ...failed.map((name) => `  failed    ${oneLine(name)}`),
    ...[...skippedByReason(suite, result)].flatMap(([reason, names]) => [
      `  left out  ${String(names.length)}: ${oneLine(reason)}`,
      ...names.map((name) => `              ${name}`),
    ]),
    ...suite.alterations.map(
      ({ file, find, reason }) => `  altered   ${file}: ${oneLine(find)} (${reason})`,
    ),
    ...suite.standIns.map((name) => `  stand-in  ${name}: an image with BusyBox`),
  ].join('\n');
}

/**
 * Lines about permissions of components that are missing, or that nothing needs. The suite has all components: the audit shows nothing
 * about one that sends no request, or that is in the group `system:masters`.
 */
export const findingsText = ({
  components,
  forbidden,
  unreviewed,
}: ComponentFindings): readonly string[] => [
  ...IDENTITIES.filter(({ suffix }) => !components.includes(suffix)).map(
    ({ suffix }) => `no request with an identity of its own: ${suffix}`,
  ),
  ...forbidden.map((one) => `forbidden: ${one}`),
  ...unreviewed.map((one) => `granted, neither used nor reviewed: ${one}`),
];
