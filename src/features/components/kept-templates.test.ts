import { describe, expect, it } from '@jest/globals';
import type { KarmadaSpec } from '../../api/karmada.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import {
  FORMER_REVISIONS,
  NEWEST_REVISION,
  type TemplateRevision,
} from '../../components/template-revision.ts';
import { isWorkload, type Workload } from '../../components/workload.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  live,
  snapshotOf,
  VIEW,
  wishOf,
  wishOfRevision,
} from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject, DesiredObjects } from '../../instance/desired-objects.ts';
import type { CertificatesView } from '../../instance/snapshot.ts';
import { desiredStateOf } from './desired-state.ts';
import { withKeptTemplates } from './kept-templates.ts';

const SCHEDULER = 'karmada-demo-scheduler';
const TOLERATIONS = [{ key: 'dedicated', operator: 'Exists' }];
const SPEC: KarmadaSpec = {
  components: {
    karmadaScheduler: { tolerations: TOLERATIONS, annotations: { 'example.com/a': 'b' } },
  },
};

const workloads = ({ objects }: DesiredObjects): readonly DesiredObject[] =>
  objects.filter(({ object }) => isWorkload(object));

/** Live workloads of a revision, as its operator applied them. */
const running = (spec: KarmadaSpec, revision: TemplateRevision): readonly KubernetesObject[] =>
  workloads(wishOfRevision(spec, revision)).map(live);

/** Desired workloads with a new spec while these workloads run. */
function desiredFor(spec: KarmadaSpec, objects: readonly KubernetesObject[]): DesiredObjects {
  const snapshot = snapshotOf(wishOf(), []);
  const host = { ...snapshot.host, objects };
  const former = FORMER_REVISIONS.map((revision) => workloads(wishOfRevision(spec, revision)));
  const found = withKeptTemplates(wishOf(spec), { host }, former);
  return { ...found, objects: workloads(found) };
}

const namedIn = (list: readonly DesiredObject[], name: string): DesiredObject | undefined =>
  list.find(({ object }) => object.metadata.name === name);

/** Names of the workloads that run on Linux nodes only. */
const linuxOnly = ({ objects }: DesiredObjects): readonly string[] =>
  objects
    .filter(({ object }) => isWorkload(object) && 'nodeSelector' in object.spec.template.spec)
    .map(({ object }) => object.metadata.name);

const withScheduler = (change: (workload: Workload) => object): readonly KubernetesObject[] =>
  running(SPEC, 0).map((object) =>
    isWorkload(object) && object.metadata.name === SCHEDULER
      ? ({ ...object, ...change(object) } as KubernetesObject)
      : object,
  );

describe('withKeptTemplates', () => {
  it('changes no workload of an unchanged Karmada that a former version of the operator created', () => {
    const objects = running(SPEC, 0);
    const found = desiredFor(SPEC, objects);
    const applied = objects.map(({ metadata }) => metadata.annotations?.[APPLIED_HASH]);
    expect(found.objects.map(({ hash }) => hash)).toEqual(applied);
    expect(linuxOnly(found)).toEqual([]);
  });

  it.each(FORMER_REVISIONS)(
    'keeps the certificate of karmada-scheduler in revision %i until it is renewed',
    (revision) => {
      const objects = running(SPEC, revision);
      const secretsFor = (certificates: CertificatesView): readonly string[] => {
        const former = FORMER_REVISIONS.map((one) =>
          workloads(wishOfRevision(SPEC, one, certificates)),
        );
        const { host } = snapshotOf(wishOf(), []);
        const found = withKeptTemplates(
          wishOfRevision(SPEC, NEWEST_REVISION, certificates),
          { host: { ...host, objects } },
          former,
        );
        const scheduler = namedIn(found.objects, SCHEDULER)?.object as Workload | undefined;
        return (scheduler?.spec.template.spec.volumes ?? []).flatMap(
          ({ secret }) => secret?.secretName ?? [],
        );
      };
      expect(secretsFor(VIEW)).toContain('karmada-demo-cert');
      const renewed = { ...VIEW, formerRestartHashes: { 'karmada-scheduler': 'renewed' } };
      expect(secretsFor(renewed)).toEqual([
        'karmada-demo-scheduler-config',
        'karmada-demo-estimator-client',
      ]);
    },
  );

  it('gives a new control plane, and one with the newest templates, the newest templates', () => {
    expect(desiredFor(SPEC, []).objects).toEqual(workloads(wishOf(SPEC)));
    expect(desiredFor(SPEC, running(SPEC, NEWEST_REVISION)).objects).toEqual(
      workloads(wishOf(SPEC)),
    );
  });

  const scheduler = (more: object): KarmadaSpec => ({
    components: { karmadaScheduler: { ...SPEC.components?.karmadaScheduler, ...more } },
  });

  it.each<[string, KarmadaSpec, readonly string[]]>([
    ['more replicas', scheduler({ replicas: 2 }), []],
    ['a PodDisruptionBudget', scheduler({ podDisruptionBudgetConfig: { minAvailable: 1 } }), []],
    [
      'another image',
      scheduler({ imageRepository: 'registry.example.com/karmada-scheduler' }),
      [SCHEDULER],
    ],
    ['another flag', scheduler({ extraArgs: { v: '4' } }), [SCHEDULER]],
    ['no toleration any more', scheduler({ tolerations: [] }), [SCHEDULER]],
    ['another resource request', scheduler({ resources: { requests: { cpu: '1' } } }), [SCHEDULER]],
  ])('gives only a workload whose template changes the newest one: %s', (_, spec, changed) => {
    const found = desiredFor(spec, running(SPEC, 0));
    expect(linuxOnly(found)).toEqual(changed);
    const wanted = namedIn(workloads(wishOf(spec)), SCHEDULER)?.object as Workload | undefined;
    const given = namedIn(found.objects, SCHEDULER)?.object as Workload | undefined;
    expect(given?.spec['replicas']).toBe(wanted?.spec['replicas']);
  });

  it.each<[string, (workload: Workload) => object]>([
    [
      'an annotation of kubectl rollout restart, and replicas of an autoscaler',
      ({ metadata, spec: { template, ...spec } }) => ({
        metadata: { ...metadata, annotations: { [APPLIED_HASH]: 'of another intent' } },
        spec: {
          ...spec,
          replicas: 5,
          template: {
            ...template,
            metadata: {
              ...template.metadata,
              annotations: { ...template.metadata.annotations, x: 'y' },
            },
          },
        },
      }),
    ],
    [
      'an edited image',
      ({ spec: { template, ...spec } }) => ({
        spec: {
          ...spec,
          template: {
            ...template,
            spec: {
              ...template.spec,
              containers: template.spec.containers.map((one) => ({ ...one, image: 'other' })),
            },
          },
        },
      }),
    ],
  ])('keeps the template of a workload with %s', (_, change) => {
    expect(linuxOnly(desiredFor(SPEC, withScheduler(change)))).toEqual([]);
  });

  it.each([1, 3])(
    'keeps the template of an etcd that gets the flags of a running cluster with %i members',
    (replicas) => {
      const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
      const membership = { replicas, ordinals, state: 'existing' as const };
      const { host, ...snapshot } = snapshotOf(wishOf(), []);
      const { desired } = desiredStateOf(
        TEMPLATES,
        { ...snapshot, host: { ...host, objects: running({}, 0) }, etcdBootstrap: { membership } },
        VIEW,
      );
      expect(linuxOnly(desired)).toEqual([]);
      const etcd = namedIn(workloads(desired), 'karmada-demo-etcd')?.object as Workload | undefined;
      expect(etcd?.spec['replicas']).toBe(replicas);
    },
  );

  it('gives a Deployment without available Pods the newest template, and an etcd never', () => {
    const objects = running(SPEC, 0).map((object) => ({ ...object, status: {} }));
    const found = desiredFor(SPEC, objects);
    const names = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.name);
    expect(linuxOnly(found)).toEqual(names);
  });

  it('gives a control plane of the Go operator the newest templates', () => {
    const objects = running(SPEC, 0).map((object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: {} },
    }));
    expect(linuxOnly(desiredFor(SPEC, objects))).toHaveLength(objects.length);
  });
});
