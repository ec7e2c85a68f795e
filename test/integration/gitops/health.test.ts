/** The health checks of config/gitops, evaluated by the Lua interpreter of Argo CD, and by the code of Flux and kstatus. */
import { readFile } from 'node:fs/promises';
import type { Reason } from '../../../src/api/reasons/condition-reasons.ts';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import {
  BACKUP_GROUP,
  type BackupPhase,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
  type KarmadaRestore,
  type RestorePhase,
} from '../../../src/api/backup/kinds.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import {
  GENERIC_STATES,
  karmadaIn,
  READY,
  type ArgoHealth,
  type Kstatus,
} from '../../../src/instance/__fixtures__/generic-clients.ts';
import { NOW } from '../../../src/instance/__fixtures__/instance.ts';
import { reported } from '../../../src/features/backups/backup-status.ts';
import { reportedRestore } from '../../../src/controllers/backups/restore/restore-status.ts';
import { planSchedule } from '../../../src/controllers/backups/schedule/plan-schedule.ts';
import { unadoptedStatus } from '../../../src/features/adoption/preflight.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { run } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';

/** Output of `tools/embedded-cluster/go/gitops-health`. */
interface Verdict {
  readonly argo: { readonly status: string; readonly message: string };
  readonly flux: string;
  readonly kstatus: string;
}

interface Expressions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly failed?: string;
  readonly current: string;
}

type Flux = Kstatus | 'Unknown';
/** Title, health of Argo CD and status of Flux, object. */
type State = readonly [string, readonly [ArgoHealth, Flux], KubernetesObject];

const TIME = new Date(NOW).toISOString();
const VERSION = `${BACKUP_GROUP}/v1alpha1`;
const RECENT = { generation: 2, creationTimestamp: TIME };

let program: string;
let scripts: Readonly<Record<string, string>>;
let expressions: readonly Expressions[];

async function stored<T>(file: string): Promise<T> {
  return load(await readFile(join(checkout, 'config/gitops', file), 'utf8')) as T;
}

beforeAll(async () => {
  ({ 'gitops-health': program } = await ensureBinaries(['gitops-health']));
  ({ data: scripts } = await stored<{ data: typeof scripts }>('argocd-health.yaml'));
  const { spec } = await stored<{ spec: { healthCheckExprs: typeof expressions } }>(
    'flux-health.yaml',
  );
  expressions = spec.healthCheckExprs;
}, 20 * 60_000);

async function verdictOf(object: KubernetesObject): Promise<Verdict | undefined> {
  const [group = ''] = object.apiVersion.split('/');
  const lua = scripts[`resource.customizations.health.${group}_${object.kind}`];
  const flux = expressions.find(({ kind }) => kind === object.kind) ?? { current: 'true' };
  const { failed, current } = flux as Expressions;
  const input = JSON.stringify([{ object, lua, flux: { failed, current } }]);
  const [verdict] = JSON.parse(await run([program], { input })) as Verdict[];
  return verdict;
}

async function expectVerdict([, [argo, flux], object]: State): Promise<void> {
  expect(await verdictOf(object)).toMatchObject({ argo: { status: argo }, flux });
}

const storeThat = (status: string): KubernetesObject => ({
  apiVersion: VERSION,
  kind: 'KarmadaBackupStore',
  metadata: { name: 'main' },
  status: { conditions: [{ type: 'Ready', status, reason: 'R', message: 'm' }] },
});

describe('health checks of a Karmada', () => {
  it.each(GENERIC_STATES)('report %s as %j', async (_title, [kstatus, argo], karmada) => {
    const verdict = await verdictOf(karmada as unknown as KubernetesObject);
    expect(verdict).toMatchObject({ argo: { status: argo }, flux: kstatus, kstatus });
  });

  const unadopted = (reason: Reason): KubernetesObject => {
    const cause = { reason, message: 'run the command' };
    const status = unadoptedStatus(karmadaIn(1), cause, { before: {}, now: NOW });
    return { ...karmadaIn(1), status } as unknown as KubernetesObject;
  };

  it.each<State>([
    [
      'an object without a status',
      ['Progressing', 'Unknown'],
      karmadaIn(1) as unknown as KubernetesObject,
    ],
    ['an adoption to confirm', ['Suspended', 'InProgress'], unadopted('AdoptionPending')],
    ['a conflict of an adoption', ['Degraded', 'InProgress'], unadopted('AdoptionConflict')],
  ])('report %s as %j', async (...state) => expectVerdict(state));

  it('show the message of the condition in Argo CD', async () => {
    const ready = READY.conditions?.find(({ type }) => type === 'Ready');
    const verdict = await verdictOf({ ...karmadaIn(2), status: READY } as never);
    expect(verdict?.argo).toEqual({ status: 'Healthy', message: ready?.message });
  });
});

describe('health checks of backups', () => {
  const references = { karmadaRef: { name: 'demo' }, storeRef: { name: 'main' } };
  const backup: KarmadaBackup = {
    apiVersion: VERSION,
    kind: 'KarmadaBackup',
    metadata: { name: 'first', namespace: 'team', ...RECENT },
    spec: references,
  };
  const backupIn = (phase: BackupPhase): KubernetesObject => ({
    ...backup,
    status: reported(backup, { phase, reason: 'Running', message: 'why' }, TIME),
  });
  const phases: Readonly<Record<BackupPhase, State[1]>> = {
    Pending: ['Progressing', 'InProgress'],
    Running: ['Progressing', 'InProgress'],
    Verifying: ['Progressing', 'InProgress'],
    Verified: ['Healthy', 'Current'],
    Failed: ['Degraded', 'Failed'],
    Deleting: ['Progressing', 'InProgress'],
  };

  it.each<State>([
    ['a backup without a status', ['Progressing', 'Unknown'], backup],
    ...Object.entries(phases).map(([phase, expected]): State => [
      `a backup in phase ${phase}`,
      expected,
      backupIn(phase as BackupPhase),
    ]),
    [
      'a store without a status',
      ['Healthy', 'Unknown'],
      { apiVersion: VERSION, kind: 'KarmadaBackupStore', metadata: { name: 'main' } },
    ],
    ['a store that is not probed', ['Healthy', 'Current'], storeThat('Unknown')],
    ['a store that a probe could use', ['Healthy', 'Current'], storeThat('True')],
    ['a store that a probe could not use', ['Degraded', 'Failed'], storeThat('False')],
  ])('report %s as %j', async (...state) => expectVerdict(state));

  it('show the message of the condition Verified in Argo CD', async () => {
    expect((await verdictOf(backupIn('Failed')))?.argo.message).toBe('why');
  });

  const schedule = (spec: object = {}): KarmadaBackupSchedule => ({
    apiVersion: VERSION,
    kind: 'KarmadaBackupSchedule',
    metadata: { name: 'nightly', namespace: 'team', ...RECENT },
    spec: { schedule: '0 3 * * *', template: references, ...spec },
  });
  const planned = (spec: object = {}): KarmadaBackupSchedule => {
    const found = schedule(spec);
    return { ...found, status: planSchedule(found, [], NOW).status };
  };
  const changed = planned();

  it.each<State>([
    ['a schedule without a status', ['Progressing', 'Unknown'], schedule()],
    ['a schedule', ['Healthy', 'Current'], planned()],
    ['a suspended schedule', ['Suspended', 'Current'], planned({ suspend: true })],
    ['an invalid schedule', ['Degraded', 'Failed'], planned({ schedule: '61 * * * *' })],
    [
      'a schedule that has changed since',
      ['Progressing', 'InProgress'],
      { ...changed, metadata: { ...changed.metadata, generation: 3 } },
    ],
  ])('report %s as %j', async (...state) => expectVerdict(state));
});

describe('health checks of restores', () => {
  const restore: KarmadaRestore = {
    apiVersion: VERSION,
    kind: 'KarmadaRestore',
    metadata: { name: 'back', namespace: 'team', ...RECENT },
    spec: { karmadaRef: { name: 'demo' }, backupRef: { name: 'first' } },
  };
  const restoreIn = (phase: RestorePhase, reason: Reason = 'Restoring'): KubernetesObject => {
    const report = { phase, reason, message: 'why' };
    return { ...restore, status: reportedRestore(restore, { report, more: {}, now: TIME }) };
  };
  const phases: Readonly<Record<RestorePhase, State[1]>> = {
    Pending: ['Progressing', 'InProgress'],
    AwaitingConfirmation: ['Suspended', 'InProgress'],
    Restoring: ['Progressing', 'InProgress'],
    PropagationPaused: ['Suspended', 'InProgress'],
    Complete: ['Healthy', 'Current'],
    Withdrawn: ['Degraded', 'Failed'],
  };

  it.each<State>([
    ['a restore without a status', ['Progressing', 'Unknown'], restore],
    ...Object.entries(phases).map(([phase, expected]): State => [
      `a restore in phase ${phase}`,
      expected,
      restoreIn(phase as RestorePhase),
    ]),
    [
      'a wrong confirmation',
      ['Degraded', 'Failed'],
      restoreIn('AwaitingConfirmation', 'ConfirmationRefused'),
    ],
  ])('report %s as %j', async (...state) => expectVerdict(state));
});
