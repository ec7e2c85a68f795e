/** Creates the redactor of a report. Pure. */
import type { Container, PodSpec, PodTemplate } from '../../kubernetes/objects/pod-kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { recordName, SPEC_KEY } from '../../instance/ready-record.ts';
import type { ReportFacts } from './read-report.ts';
import { createRedactor, type Redactor } from './redact/redactor.ts';
import { secretValues } from './redact/secret-values.ts';
import { project } from './redact/shape.ts';
import type { Disclosure } from './report-files.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

/**
 * Creates the redactor from the Secrets of a report.
 * @param hidden texts that the objects of the report hide
 * @param disclosure whose texts of the operator are shown in any case
 */
export function reportRedactor(
  facts: Pick<ReportFacts, 'secrets' | 'controlPlanes' | 'operator'>,
  hidden: readonly string[],
  disclosure: Disclosure,
): Redactor {
  const { secrets, controlPlanes } = facts;
  // The last ready spec is not secret as a whole: it has the names and versions that the report shows.
  const records = new Set(controlPlanes.map(({ karmada }) => recordName(karmada)));
  const isRecord = ({ metadata }: KubernetesObject): boolean => records.has(metadata.name);
  return createRedactor({
    secrets: secrets.filter((secret) => !isRecord(secret)).flatMap(secretValues),
    hidden: [
      ...hidden,
      ...secrets.filter(isRecord).flatMap((secret) => hiddenInRecord(secret, disclosure)),
    ],
    names: new Set([...disclosure.vocabulary, ...shownNames(facts)]),
  });
}

/** Texts in the spec of a record that a report of the Karmada would hide. */
function hiddenInRecord(
  secret: KubernetesObject,
  { vocabulary, shapes }: Disclosure,
): readonly string[] {
  const { [SPEC_KEY]: encoded = '' } = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  try {
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    const spec = parseJsonWithin(text, { size: UNTRUSTED.storedObject });
    return project({ spec }, shapes.Karmada, vocabulary).hidden;
  } catch {
    return [];
  }
}

/** Names and images of objects. An environment variable or an argument may have the same text. */
function shownNames({
  controlPlanes,
  operator,
}: Pick<ReportFacts, 'controlPlanes' | 'operator'>): readonly string[] {
  const objects = [
    ...controlPlanes.flatMap(({ host, management }) =>
      Object.values({ ...management, ...host?.lists }).flat(),
    ),
    ...operator.deployments,
    ...operator.pods,
  ];
  return objects.flatMap((object) => {
    const { name, namespace = '' } = object.metadata;
    return [name, namespace, ...containersOf(object).flatMap((one) => [one.name, one.image ?? ''])];
  });
}

/** A Pod, or an object with a template of Pods. */
interface WithContainers extends KubernetesObject {
  readonly spec?: PodSpec & { readonly template?: PodTemplate };
}

const containersOf = ({ spec = {} }: WithContainers): readonly Container[] =>
  spec.containers ?? spec.template?.spec?.containers ?? [];
