/** The files of a report, except logs. Pure functions. */
import { dump } from 'js-yaml';
import { INSTANCE } from '../../api/labels.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { palette } from '../program/text.ts';
import { statusText } from '../status/status-text.ts';
import { statusView } from '../status/status-view.ts';
import type { ReportFile } from './archive.ts';
import type { ControlPlaneFacts, ReportFacts } from './read-report.ts';
import type { ObjectLists } from './read-objects.ts';
import { describeSecret } from './redact/describe-secret.ts';
import { HOST_SHAPES } from './redact/kubernetes-shapes.ts';
import { redactTree, type Redactor } from './redact/redactor.ts';
import type { SchemaShapes } from './redact/schema-shapes.ts';
import { project, type Projection, type Shape, type Vocabulary } from './redact/shape.ts';

/** What a report may show. */
export interface Disclosure {
  /** Texts of the operator. */
  readonly vocabulary: Vocabulary;
  /** Shapes of the kinds of this operator. */
  readonly shapes: SchemaShapes;
}

/** A file whose content is structured and not redacted yet. */
export interface ObjectFile {
  readonly path: string;
  readonly value: unknown;
}

/** Objects of a report in their shapes, and the texts that they hide. */
export interface ProjectedReport {
  readonly files: readonly ObjectFile[];
  readonly hidden: readonly string[];
}

/** Shows of all objects only what their shapes allow. */
export function projectReport(
  facts: ReportFacts,
  { vocabulary, shapes: ownShapes }: Disclosure,
): ProjectedReport {
  const shapes: Readonly<Record<string, Shape>> = { ...HOST_SHAPES, ...ownShapes };
  const show = (object: object, kind: string): Projection =>
    // An object of a kind without a shape shows nothing.
    project(object, shapes[kind] ?? { kind: 'omitted' }, vocabulary);
  const hidden: string[] = [];
  const shownObject = (object: object, kind: string): unknown => {
    const projection = show(object, kind);
    hidden.push(...projection.hidden);
    return projection.value;
  };
  const listFiles = (folder: string, lists: ObjectLists): readonly ObjectFile[] =>
    Object.entries(lists).flatMap(([name, objects]) =>
      objects.length === 0
        ? []
        : [
            {
              path: `${folder}/${name}.yaml`,
              value: objects.map((object) => shownObject(object, object.kind)),
            },
          ],
    );
  const files = [
    ...facts.controlPlanes.flatMap((plane) => [
      {
        path: `${plane.karmada.metadata.name}/karmada.yaml`,
        value: shownObject(plane.karmada, 'Karmada'),
      },
      ...listFiles(plane.karmada.metadata.name, { ...plane.management, ...plane.host?.lists }),
      ...secretsFile(plane),
    ]),
    ...listFiles('operator', {
      deployments: facts.operator.deployments,
      pods: facts.operator.pods,
    }),
  ];
  return { files, hidden };
}

/** Secrets with the label of the control plane, and those that its Pods use. */
function secretsFile({ karmada, host }: ControlPlaneFacts): readonly ObjectFile[] {
  if (host === undefined || host.secrets.length === 0) return [];
  const { name } = karmada.metadata;
  const used = stringsIn([karmada.spec, host.lists['pods']]);
  const own = host.secrets.filter(
    ({ metadata }) => metadata.labels?.[INSTANCE] === name || used.has(metadata.name),
  );
  return [{ path: `${name}/secrets.yaml`, value: own.map(describeSecret) }];
}

/** All strings in a value. */
function stringsIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') found.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) stringsIn(part, found);
  return found;
}

/** Formats and redacts the files. */
export function objectFiles(
  files: readonly ObjectFile[],
  { text }: Redactor,
): readonly ReportFile[] {
  return files.map(({ path, value }) => ({
    path,
    text: dump(JSON.parse(JSON.stringify(redactTree(value, text) ?? null)), {
      lineWidth: -1,
      noRefs: true,
    }),
  }));
}

/** The output of the command `status`, for each control plane. @param now milliseconds since 1970 */
export function statusFiles(
  controlPlanes: readonly ControlPlaneFacts[],
  { text }: Redactor,
  now: number,
): readonly ReportFile[] {
  return controlPlanes.map(({ karmada, host }) => {
    const { deployments = [], statefulsets = [], pods = [] } = host?.lists ?? {};
    const workloads: readonly KubernetesObject[] = [...deployments, ...statefulsets];
    const { certificates } = host ?? {};
    const view = statusView({ karmada, workloads, pods, certificates, notes: [] }, now);
    return {
      path: `${karmada.metadata.name}/status.txt`,
      text: text(statusText(view, { palette: palette(false), now })),
    };
  });
}
