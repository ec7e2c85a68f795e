/**
 * Large specs of Karmadas, and the pure functions that each of them runs through, for the tests of their time. Lists and maps of a spec
 * have no limit other than that of the object: etcd accepts requests of 1.5 MiB.
 */
import { defaultSpec, type DefaultedSpec } from '../../src/api/defaults/defaults.ts';
import { formatErrors } from '../../src/api/validation/field-error.ts';
import type { Karmada, KarmadaSpec } from '../../src/api/karmada.ts';
import { validate } from '../../src/api/validation/validation.ts';
import { warningContent } from '../../src/api/warnings/warning-condition.ts';
import { warnings } from '../../src/api/warnings/warnings.ts';
import { TEMPLATES } from '../../src/components/__fixtures__/golden.ts';
import { COMPONENTS } from '../../src/components/registry.ts';
import { differences } from '../../src/kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import {
  ARCHIVE,
  karmadaOf,
  live,
  snapshotOf,
  VIEW,
} from '../../src/instance/__fixtures__/instance.ts';
import { allSettings } from '../../src/causes/component-cause.ts';
import { Redactions } from '../../src/causes/redactions.ts';
import { decide } from '../../src/controllers/karmada/decide.ts';
import {
  renderDesiredObjects,
  type DesiredInput,
  type DesiredObject,
} from '../../src/instance/desired-objects.ts';
import type { Snapshot } from '../../src/instance/snapshot.ts';
import { assess } from '../../src/controllers/karmada/assess.ts';
import { statusOf } from '../../src/controllers/karmada/status.ts';
import { changedFields } from '../../src/instance/rollback-spec.ts';
import { DEFAULT_ROLLOUT_LIMIT } from '../../src/features/operator-rollout/rollout-order.ts';
import { guardVersions } from '../../src/features/versions/version-guard.ts';

/** Creates a spec of a length in bytes. */
export type SpecOf = (length: number) => KarmadaSpec;

/** As many values as fit into a length. @param size of one value in bytes */
const many = <T>(length: number, size: number, valueOf: (index: number) => T): T[] =>
  Array.from({ length: Math.floor(length / size) }, (_, index) => valueOf(index));

const map = <T>(
  length: number,
  size: number,
  entryOf: (index: number) => readonly [string, T],
): Readonly<Record<string, T>> => Object.fromEntries(many(length, size, entryOf));

const gates = (length: number): Readonly<Record<string, boolean>> =>
  map(length, 14, (index) => [`G${index}`, true]);

const flags = (length: number): Readonly<Record<string, string>> =>
  map(length, 14, (index) => [`flag${index}`, '1']);

const schedulerWith = (settings: object): KarmadaSpec => ({
  components: { karmadaScheduler: settings },
});
const apiServerWith = (settings: object): KarmadaSpec => ({
  components: { karmadaAPIServer: settings },
});

const filesOf = (length: number): object => ({
  name: 'a',
  items: many(length, 28, (index) => ({ key: 'a', path: String(index) })),
});

/** Maximum number of entries in spec.podSettings. */
const ENTRIES = 32;

/** Specs in which one list, map or text is as large as it can be. */
export const LARGE_SPECS: Readonly<Record<string, SpecOf>> = {
  'feature gates in extraArgs': (length) =>
    schedulerWith({
      extraArgs: { 'feature-gates': many(length, 7, (index) => `G${index}`).join() },
    }),
  'feature gates of all components': (length) => ({ featureGates: gates(length) }),
  'feature gates of a component': (length) => schedulerWith({ featureGates: gates(length) }),
  extraArgs: (length) => schedulerWith({ extraArgs: flags(length) }),
  'lists of admission plugins': (length) =>
    apiServerWith({
      extraArgs: {
        'enable-admission-plugins': many(length / 2, 6, (index) => `A${index}`).join(),
        'disable-admission-plugins': many(length / 2, 6, (index) => `B${index}`).join(),
      },
    }),
  'files in lines of a flag': (length) =>
    apiServerWith({
      extraArgs: { 'a-file': many(length, 8, (index) => `/${index}`).join('\n') },
      extraVolumeMounts: many(64, 1, (index) => ({ name: 'a', mountPath: `/m${index}` })),
    }),
  'labels that are not valid': (length) =>
    schedulerWith({ labels: map(length, 14, (index) => [`-${index}`, '-']) }),
  'files of a projected volume': (length) =>
    apiServerWith({
      extraVolumes: [{ name: 'a', projected: { sources: [{ secret: filesOf(length) }] } }],
    }),
  volumes: (length) =>
    apiServerWith({
      extraVolumes: many(length / 2, 40, (index) => ({
        name: `v${index}`,
        hostPath: { path: '/' },
      })),
      extraVolumeMounts: many(length / 2, 40, (index) => ({ name: 'a', mountPath: `/${index}` })),
    }),
  'variables in entries of podSettings': (length) => ({
    podSettings: many(ENTRIES, 1, (entry) => ({
      env: many(length / ENTRIES, 24, (index) => ({ name: `A${entry}-${index}` })),
    })),
  }),
  'arguments of a sidecar': (length) =>
    schedulerWith({ sidecarContainers: [{ name: 'a', args: many(length, 3, () => '') }] }),
  'secrets of all components': (length) => ({
    podSettings: [
      {
        env: many(ENTRIES, 1, (index) => ({
          name: `PASS${index}`,
          value: 'a:b|pass=c%41,/d@'.repeat(length / ENTRIES / 17),
        })),
      },
    ],
  }),
  'node labels and keys of podSettings': (length) => ({
    podSettings: [
      {
        nodeSelector: map(length / 2, 14, (index) => [`a${index}`, 'b']),
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'a',
            whenUnsatisfiable: 'ScheduleAnyway',
            matchLabelKeys: many(length / 2, 8, (index) => `a${index}`),
          },
        ],
      },
    ],
  }),
  'terms of an affinity': (length) =>
    schedulerWith({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: many(length, 24, (index) => ({
            topologyKey: `-${index}`,
          })),
        },
      },
    }),
  'subject alternative names, controllers and pull secrets': (length) => ({
    imagePullSecrets: many(length / 3, 20, (index) => ({ name: `-${index}` })),
    components: {
      karmadaAPIServer: { certSANs: many(length / 3, 10, (index) => `-${index}`) },
      karmadaControllerManager: { controllers: many(length / 3, 10, (index) => `-a${index}`) },
    },
  }),
  'member clusters of the estimator': (length) => ({
    components: {
      karmadaSchedulerEstimator: { clusters: many(length, 10, (index) => `a${index}`) },
    },
  }),
};

/** A spec, and what the functions for it need besides. */
export interface LargeKarmada {
  readonly karmada: Karmada;
  readonly spec: DefaultedSpec;
  /** Input of the renderer. */
  readonly desired: DesiredInput;
  readonly rendered: readonly DesiredObject[];
  /** A control plane that runs with this spec. */
  readonly snapshot: Snapshot;
  /** Its workloads with the release before. */
  readonly formerObjects: readonly KubernetesObject[];
}

export function largeKarmada(given: KarmadaSpec): LargeKarmada {
  const karmada = karmadaOf(given);
  const spec = defaultSpec(given, { defaultStorageClass: false });
  const desired = {
    name: 'karmada-demo',
    namespace: 'team',
    spec,
    certificates: VIEW,
    archive: ARCHIVE,
  };
  const all = renderDesiredObjects(TEMPLATES, desired);
  const snapshot = {
    ...snapshotOf(all, [...all.steps], { karmada, spec }),
    tenantPods: 'Restricted',
  } as const;
  const rendered = all.objects;
  const formerObjects = rendered
    .filter(({ cluster }) => cluster === 'host')
    .map((item) => withFormerImage(live(item)));
  return { karmada, spec, desired, rendered, snapshot, formerObjects };
}

const withFormerImage = (object: KubernetesObject): KubernetesObject =>
  JSON.parse(JSON.stringify(object).replaceAll(':v1.18.2"', ':v1.17.1"')) as KubernetesObject;

const FORMER = {
  versions: { karmada: 'v1.17.1', kubernetes: 'v1.35.4' },
  secretRef: { name: 'admin', namespace: 'team' },
};

/** The pure functions that the spec of a Karmada runs through. */
export const STAGES: Readonly<Record<string, (large: LargeKarmada) => unknown>> = {
  validation: ({ karmada }) => formatErrors(validate(karmada)),
  warnings: ({ karmada, spec }) => warningContent(warnings(karmada, spec)),
  'versions of an upgrade': ({ spec, formerObjects }) =>
    guardVersions(spec, FORMER, { objects: formerObjects, pods: [] }),
  'changed fields': ({ spec }) => changedFields({ ...spec, podSettings: [{}] }, spec),
  rendering: ({ desired }) => renderDesiredObjects(TEMPLATES, desired),
  'comparison with live objects': ({ rendered }) =>
    rendered.map((item) => differences(live(item), item.object)),
  'what quotes hide': ({ spec, formerObjects }) => {
    const settings = allSettings(COMPONENTS, { spec, objects: formerObjects });
    return COMPONENTS.map(({ name }) => name).map(new Redactions().of(settings));
  },
  'decision and status': ({ snapshot }) => statusAfter(snapshot),
};

/** Decides what to do and computes the status. */
export function statusAfter(snapshot: Snapshot): unknown {
  const { plan, desiredState } = decide(TEMPLATES, {
    snapshot,
    view: VIEW,
    rollout: { before: {}, isRequested: false, siblings: () => [], limit: DEFAULT_ROLLOUT_LIMIT },
    reachability: new Map(),
  });
  if (desiredState === undefined) throw new Error('there is no desired state');
  const outcome = { live: new Map(), problems: [], errors: [], blockedChanges: [], writes: 0 };
  const { desired } = desiredState;
  const certificateProblem = undefined;
  return statusOf(assess({ snapshot, desired, view: VIEW, plan, outcome, certificateProblem }), {});
}
