/**
 * Model of a control plane whose components may fail in a new release, and of the operator that reconciles it: the real
 * decision, the real record and the real status, without an API server.
 */
import type { KarmadaSpec, KarmadaStatus } from '../../../api/karmada.ts';
import { COMPONENT } from '../../../api/labels.ts';
import { TEMPLATES } from '../../../components/__fixtures__/golden.ts';
import { isWorkload } from '../../../components/workload.ts';
import { soundView } from '../../../etcd/__fixtures__/answers.ts';
import { APPLIED_HASH } from '../../../kubernetes/objects/compare.ts';
import { hashSecretValues } from '../../../kubernetes/objects/cache-transform.ts';
import { identity, type KubernetesObject } from '../../../kubernetes/objects/object.ts';
import {
  ARCHIVE,
  karmadaOf,
  live,
  NO_MEMBERS,
  pod,
  VIEW,
} from '../../../instance/__fixtures__/instance.ts';
import type { Action } from '../../../actions/action.ts';
import { decide, type Decision } from '../../../controllers/karmada/decide.ts';
import type { DesiredObject, Rendered } from '../../../instance/desired-objects.ts';
import type { InstanceCache } from '../../../instance/instance-cache.ts';
import type { Snapshot } from '../../../instance/snapshot.ts';
import { withNextReleases } from '../../../assessment/assessment.ts';
import { assess } from '../../../controllers/karmada/assess.ts';
import { statusOf } from '../../../controllers/karmada/status.ts';
import { resolveSpec } from '../../versions/resolve-spec.ts';
import { BackupApi } from '../../upgrade-backup/__fixtures__/backup-api.ts';
import { createUpgradeBackup } from '../../upgrade-backup/create-backup.ts';
import { observeUpgradeBackup } from '../../upgrade-backup/observe-upgrade-backup.ts';
import { recordFailedChange, recordReadySpec } from '../write-record.ts';
import { anyClient } from '../../../kubernetes/client/any-client.fixture.ts';

const FACTS = { defaultStorageClass: false };
const NOTHING = { live: new Map(), problems: [], errors: [], blockedChanges: [], writes: 0 };

export class RollbackModel {
  readonly host = new Map<string, KubernetesObject>();
  readonly inside = new Map<string, KubernetesObject>();
  /** By workload or CRD, the releases in the order in which they were applied. */
  readonly history = new Map<string, string[]>();
  status: KarmadaStatus = {};
  writes = 0;
  /** Components whose Pods of the new release never become ready. */
  readonly broken = new Set<string>();
  /** Components whose Pods are not ready now, in any release. */
  readonly away = new Set<string>();
  readonly backups = new BackupApi(false);
  spec: KarmadaSpec;
  now: number;
  #generation = 1;
  #secret: KubernetesObject | undefined;
  #version = 1;
  /** Pods that serve, by component: those of the last complete rollout. */
  readonly #pods = new Map<string, KubernetesObject>();
  #instance: Pick<InstanceCache, 'readySpec'> = {};
  #rendered: Rendered | undefined;

  constructor(spec: KarmadaSpec, now: number) {
    this.spec = spec;
    this.now = now;
  }

  change(spec: KarmadaSpec): void {
    this.spec = spec;
    this.#generation += 1;
  }

  restart(): void {
    this.#instance = {};
    this.#rendered = undefined;
  }

  /** The record as the cache contains it. */
  get record(): KubernetesObject | undefined {
    return this.#secret && hashSecretValues(this.#secret);
  }

  /**
   * Reconciles once.
   * @param most number of actions after which the operator crashes
   */
  async reconcile(most = Infinity): Promise<Decision> {
    const seen = await this.#observe();
    const limit = { atOnce: { count: 1 }, failures: { count: 0 } };
    const rollout = { before: this.status, isRequested: true, siblings: () => [], limit };
    const input = { snapshot: seen, view: VIEW, rendered: this.#rendered, rollout };
    const decision = decide(TEMPLATES, { ...input, reachability: new Map() });
    this.#rendered = decision.desiredState?.rendered;
    const { actions } = decision.plan;
    for (const action of actions.slice(0, most)) await this.#execute(action);
    if (actions.length > most) return decision;
    const after = { ...seen, ...this.#objects() };
    const assessed = assess({
      snapshot: after,
      desired: decision.desiredState?.desired,
      view: VIEW,
      plan: decision.plan,
      outcome: NOTHING,
      rollout: decision.rollout,
      certificateProblem: undefined,
    });
    const assessment = withNextReleases(assessed);
    const next = statusOf(assessment, this.status);
    if (JSON.stringify(next) !== JSON.stringify(this.status)) this.writes += 1;
    this.status = next;
    return decision;
  }

  /** Rollouts end for components that can become ready; the old Pods of others stay. */
  settle(): void {
    for (const [id, object] of this.host) {
      if (!isWorkload(object)) continue;
      const name = object.metadata.labels?.[COMPONENT] ?? '';
      const isBroken = this.broken.has(name) && releaseOf(object) === 'new';
      const fails = isBroken || this.away.has(name);
      this.host.set(id, { ...object, status: countsOf(object, fails) });
      if (!fails) this.#pods.set(name, { ...pod(name), spec: object.spec.template.spec });
    }
  }

  #objects(): Pick<Snapshot, 'host' | 'controlPlane'> {
    const record = this.record;
    const server = JSON.stringify(this.#pods.get('karmada-apiserver')?.['spec']);
    const served = /kube-apiserver:(v[\d.]+)/.exec(server)?.[1];
    return {
      host: {
        objects: [...this.host.values(), ...(record ? [record] : [])],
        pods: [...this.#pods.values()],
        claims: [],
      },
      controlPlane: {
        state: 'ready',
        message: '',
        objects: [...this.inside.values()],
        ...(served && { kubernetesVersion: served }),
      },
    };
  }

  async #observe(): Promise<Snapshot> {
    const karmada = karmadaOf(this.spec);
    const current = { ...karmada, metadata: { ...karmada.metadata, generation: this.#generation } };
    const objects = this.#objects();
    const input = { ...objects, karmada: current, status: this.status, now: this.now };
    const found = await resolveSpec(
      { client: this.#client, instance: this.#instance, facts: FACTS },
      input,
    );
    const { spec, ...resolved } = await observeUpgradeBackup(this.backups.asClient(), input, found);
    return {
      ...resolved,
      ...objects,
      karmada: current,
      spec,
      now: this.now,
      certificates: { state: 'valid', view: VIEW },
      archive: { archive: archiveOf(spec.version) },
      members: NO_MEMBERS,
      etcd: soundView(['etcd-0']),
    };
  }

  async #execute(action: Action): Promise<void> {
    if (action.kind === 'apply') this.#apply(action.target);
    if (action.kind === 'recordReadySpec') await recordReadySpec(this.#client, action);
    if (action.kind === 'recordFailedChange') await recordFailedChange(this.#client, action);
    if (action.kind === 'createUpgradeBackup') {
      const { writes = 0 } = await createUpgradeBackup(this.backups.asClient(), action);
      this.writes += writes;
    }
    if (action.kind === 'remove') {
      this.writes += 1;
      this.host.delete(identity(action.object));
      this.inside.delete(identity(action.object));
    }
  }

  #apply(target: DesiredObject): void {
    const objects = target.cluster === 'host' ? this.host : this.inside;
    const before = objects.get(target.id);
    if (before?.metadata.annotations?.[APPLIED_HASH] === target.hash) return;
    this.writes += 1;
    const after = live(target);
    const annotations = { ...after.metadata.annotations, 'deployment.kubernetes.io/revision': '2' };
    const isNew = isWorkload(after);
    const progress = isNew && { status: countsOf(after, true) };
    objects.set(target.id, {
      ...after,
      ...progress,
      metadata: { ...after.metadata, annotations },
    });
    if (!isNew && after.kind !== 'CustomResourceDefinition') return;
    const { name } = after.metadata;
    this.history.set(name, [...(this.history.get(name) ?? []), releaseOf(after)]);
  }

  /** API server with one Secret. */
  get #client() {
    const write = (change: (secret: KubernetesObject) => KubernetesObject): KubernetesObject => {
      this.writes += 1;
      this.#version += 1;
      const before = this.#secret ?? ({} as KubernetesObject);
      const { metadata, ...secret } = change(before);
      this.#secret = {
        ...secret,
        metadata: { ...metadata, uid: 'record', resourceVersion: String(this.#version) },
      } as KubernetesObject;
      return this.#secret;
    };
    return anyClient({
      find: () => Promise.resolve(this.#secret),
      create: (object) => Promise.resolve(write(() => object)),
      patch: (_, __, patch) =>
        Promise.resolve(write((before) => merged(before, patch) as KubernetesObject)),
    });
  }
}

/** Merge patch (RFC 7396). */
function merged(before: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = (typeof before === 'object' ? before : {}) as Record<string, unknown>;
  const entries = Object.entries(patch).map(([key, value]) => [key, merged(base[key], value)]);
  const all = { ...base, ...Object.fromEntries(entries) } as Record<string, unknown>;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

export function releaseOf(object: KubernetesObject): 'old' | 'new' {
  return /v1\.17\.1|v1\.35\.4/.test(JSON.stringify(object['spec'])) ? 'new' : 'old';
}

/** CRDs of a release: those of the new one have another schema. */
function archiveOf(version = ''): typeof ARCHIVE {
  const crds = ARCHIVE.crds.map(({ definition }) => ({
    definition: { ...definition, spec: { group: version } },
  }));
  return { ...ARCHIVE, crds };
}

function countsOf(object: KubernetesObject, fails: boolean): object {
  const { replicas = 1 } = (object['spec'] ?? {}) as { replicas?: number };
  const counts = { observedGeneration: 1, updatedReplicas: replicas, availableReplicas: replicas };
  const revisions = { currentRevision: 'r1', updateRevision: 'r1' };
  return { ...counts, ...revisions, replicas: fails ? replicas + 1 : replicas };
}
