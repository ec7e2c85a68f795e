/**
 * Runs the operator's modules with only the permissions of its roles, and verifies that each permission is used. Rare
 * operations are called here, because end-to-end tests with the audit log do not cover them.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import { API_VERSION, FINALIZER, KIND, type Karmada } from '../../../src/api/karmada.ts';
import { readObject } from '../../../src/crd-archives/object-source.ts';
import { Slots } from '../../../src/kubernetes/fairness/slots.ts';
import { manualClock } from '../../../src/kubernetes/time/clock.fixture.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { explicitCredentials } from '../../../src/kubernetes/connection/connection.ts';
import { webSocketDispatcher } from '../../../src/kubernetes/connection/dispatcher.ts';
import { EventRecorder } from '../../../src/kubernetes/client/events.ts';
import { microTime } from '../../../src/kubernetes/objects/lease.ts';
import { LeaderElection } from '../../../src/kubernetes/leader-election/leader.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { forwardPort } from '../../../src/kubernetes/client/port-forward.ts';
import { UnreadBytes } from '../../../src/kubernetes/connection/unread-bytes.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { readGoOperator } from '../../../src/features/adoption/go-operator-lease.ts';
import { finalize } from '../../../src/controllers/karmada/deletion/finalize.ts';
import { createManagementCluster } from '../../../src/host-clusters/host.ts';
import { createNamespace } from '../../../src/features/remote-host/remote-host.ts';
import { createSecretPolicy } from '../../../src/api/secrets/secret-policy.ts';
import type { RoleName } from '../../../src/permissions/need.ts';
import { permissionsOf } from '../../../src/permissions/needed.ts';
import { leadAsOneOperator } from '../../../src/operator/one-operator.ts';
import { servedCrdCheck } from '../../../src/served-crd/served-crd.ts';
import { eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';
import { takeBackup } from './backup-rights.ts';
import { objectOf, podOf, testCommonRights } from './common-rights.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';
import { isByAdmission, isCommon, loggedText, startWithRoles, type WithRoles } from './roles.ts';

const OPTIONS = { clock: systemClock, random: Math.random };
const POLICY = createSecretPolicy('Granted', () => []);

interface Compared {
  /** Used, but not in the table of needed permissions. */
  readonly unneeded: readonly string[];
  readonly unused: readonly string[];
  readonly forbidden: readonly string[];
}

const API_SERVER_POD = 'team-karmada-apiserver-5d4f-x7k2p';
const ETCD_POD = 'karmada-demo-etcd-0';

const isForwardRole = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'ClusterRole' && metadata.name === 'karmada-operator-remote-port-forward';

const withVerb = (role: KubernetesObject, verb: string): KubernetesObject => ({
  ...role,
  rules: [{ apiGroups: [''], resources: ['pods/portforward'], verbs: [verb] }],
});

const EQUAL: Compared = { unneeded: [], unused: [], forbidden: [] };

async function compare(environment: WithRoles, ...roles: RoleName[]): Promise<Compared> {
  const used = [...(await environment.used())].filter((right) => !isCommon(right));
  const needed = permissionsOf(...roles).map(loggedText);
  return {
    unneeded: used.filter((right) => !needed.includes(right)),
    unused: needed.filter((right) => !used.includes(right) && !isByAdmission(right)),
    forbidden: await environment.forbidden(),
  };
}

/** The audit log contains a watch only after it has ended. */
async function expectEqual(environment: WithRoles, ...roles: RoleName[]): Promise<void> {
  let seen: Compared | undefined;
  await eventually(
    'the used permissions equal the granted ones',
    async () => isDeepStrictEqual((seen = await compare(environment, ...roles)), EQUAL),
    () => seen,
  );
}

describe('role for the management cluster', () => {
  let environment: WithRoles;

  beforeAll(async () => {
    environment = await startWithRoles('config/deploy/2-rights.yaml', 'karmada-operator');
    await serveKarmadas(environment.admin);
  });

  afterAll(() => environment.stop());

  const common = testCommonRights(() => environment, 'own');

  it('allows the operator to install a Karmada as far as possible without Pods, and to delete it', async () => {
    const { admin, client } = environment;
    const namespace = 'own';
    const key = { name: 'karmada', namespace };
    const reconciler = await startReconciler(client);
    const local = { volumeData: { emptyDir: {} } };
    const karmada = await admin.create({
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: key,
      spec: { components: { etcd: { local } } },
    });
    const type = admin.typeOf(karmada);
    const pass = () => reconciler.reconcile('own/karmada', new AbortController().signal);
    const set = { namespace, name: 'karmada-etcd' };
    const owner = await eventually('the etcd is created', async () => {
      await pass();
      return admin.find(resources.StatefulSet, set);
    });
    await admin.create(podOf(owner));
    await admin.delete(type, key);
    await eventually('the Karmada is gone', async () => {
      await pass();
      return (await admin.find(type, key)) === undefined;
    });
    await reconciler.stop();
  });

  it('allows the served CRD to be compared', async () => {
    const log = memoryLog();
    const more = { events: { record: () => undefined }, log, onLacks: () => undefined };
    const expected = () => Promise.resolve(karmadaCrd);
    await servedCrdCheck({ client: environment.client, expected, ...more })();
    expect(log.lines).toEqual([]);
  });

  it('allows an archive to be read from a ConfigMap', async () => {
    const source = { kind: 'object', object: 'ConfigMap', namespace: 'own', name: 'crds' } as const;
    const tools = { client: environment.client, secretPolicy: POLICY, verifications: new Slots(1) };
    const named = { ...source, key: 'crds.tar.gz', release: undefined };
    const read = readObject(tools, named, undefined, AbortSignal.timeout(10_000));
    await expect(read).rejects.toThrow(/ConfigMap own\/crds not found/);
  });

  it('allows Events to be created and counted', async () => {
    const clock = manualClock(Date.now());
    const reporting = { reportingController: 'test', reportingInstance: 'test' };
    const options = { client: environment.client, clock, random: Math.random, log: memoryLog() };
    const events = new EventRecorder({ ...options, ...reporting });
    const regarding = objectOf('Service', 'own');
    const report = {
      regarding,
      type: 'Normal',
      reason: 'Tested',
      action: 'Test',
      note: 'n',
    } as const;
    events.record(report);
    await events.flush();
    await clock.advance(600_000);
    events.record(report);
    await events.flush();
    expect(options.log.lines).toEqual([]);
  });

  it('allows a leader to be elected', async () => {
    const { client } = environment;
    const options = { ...OPTIONS, log: memoryLog() };
    const lease = { namespace: 'karmada-system', name: 'lease', identity: 'one' };
    const election = new LeaderElection({ client, ...options, ...lease });
    const ended = await election.run(() => Promise.resolve(undefined), AbortSignal.timeout(30_000));
    expect(ended).toBe('released');
    const stop = new AbortController();
    const installation = { namespace: 'karmada-system', name: 'lease' };
    const lead = (): Promise<undefined> => {
      stop.abort();
      return Promise.resolve(undefined);
    };
    const waiting = { installation, onWaiting: () => undefined };
    await leadAsOneOperator({ client, ...options, ...waiting }, lead, stop.signal);
    expect(options.log.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it('allows a backup to be taken', async () => {
    const { status, lines } = await takeBackup(environment, 'own');
    expect([status?.phase, lines]).toEqual(['Verified', []]);
  });

  it('allows a running Go operator to be detected', async () => {
    const { client, admin } = environment;
    const metadata = { namespace: 'own', name: 'karmada-operator' };
    const spec = {
      holderIdentity: 'go',
      leaseDurationSeconds: 3600,
      renewTime: microTime(Date.now()),
    };
    await admin.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    const found = await readGoOperator({ local: { client }, clock: systemClock });
    expect(found).toEqual({ lease: 'own/karmada-operator', holder: 'go' });
  });

  it('grants only permissions that the operations above need', async () => {
    await common.stop();
    await expectEqual(environment, 'operator', 'backups', 'leader', 'one-operator');
  });
});

describe('role for a host cluster', () => {
  let environment: WithRoles;

  beforeAll(async () => {
    const file = 'config/remote-host/rights.yaml';
    environment = await startWithRoles(file, 'karmada-operator-remote');
    await serveKarmadas(environment.admin);
  });

  afterAll(() => environment.stop());

  const common = testCommonRights(() => environment, 'remote');
  const metadata = { name: 'karmada', namespace: 'remote', uid: 'u', finalizers: [FINALIZER] };
  const karmada: Karmada = { apiVersion: API_VERSION, kind: KIND, metadata };

  const forward = async (pod: string): Promise<string> => {
    const { api, pair } = environment;
    const access = { caData: api.caData, certData: pair.cert, keyData: pair.key };
    const credentials = explicitCredentials({ server: api.url, ...access });
    const target = { server: api.url, namespace: 'remote', pod, port: 5443 };
    const dispatcher = webSocketDispatcher(target, credentials);
    const means = { dispatcher, headers: {}, timeoutMs: 10_000, unread: new UnreadBytes() };
    const failure = await forwardPort(target, means).then(() => 'opened', String);
    await dispatcher.destroy();
    return failure;
  };

  const create = (name: string): Promise<KubernetesObject> => {
    const pod = podOf(objectOf('StatefulSet', 'remote'));
    return environment.admin.create({ ...pod, metadata: { ...pod.metadata, name } });
  };

  /** Calls until one more call is forbidden. */
  const refusedAfter = async (call: () => Promise<unknown>): Promise<void> => {
    const { length } = await environment.forbidden();
    await eventually('a call is forbidden', async () => {
      await call();
      return (await environment.forbidden()).length > length;
    });
  };

  it('allows the Namespace of a Karmada to be created', async () => {
    await createNamespace(common.host, {
      kind: 'createNamespace',
      name: 'made',
      labels: { 'operator.karmada.io/karmadas-of': 'Any' },
    });
    expect((await environment.admin.get(resources.Namespace, { name: 'made' })).kind).toBe(
      'Namespace',
    );
  });

  it('allows the Pods of a deleted Karmada to be deleted', async () => {
    const log = memoryLog();
    const pod = await environment.admin.create(podOf(objectOf('StatefulSet', 'remote')));
    const local = createManagementCluster({ ...OPTIONS, log, client: environment.admin });
    const events = { record: () => undefined };
    const tools = { ...OPTIONS, log, local, host: common.host, events };
    await eventually('the Pod is gone', async () => {
      await finalize(tools as never, karmada);
      return (await environment.admin.find(resources.Pod, pod.metadata as never)) === undefined;
    });
  });

  it('allows port-forwarding, and grants only permissions that the operations above need', async () => {
    await common.stop();
    await create(API_SERVER_POD);
    await forward(API_SERVER_POD);
    await expectEqual(environment, 'remote', 'remote-port-forward');
  });

  it('allows port-forwarding only to API server and etcd Pods of control planes', async () => {
    await create('database-0');
    await create(ETCD_POD);
    // A policy takes effect a moment after its creation.
    await refusedAfter(() => forward('database-0'));
    const { length } = await environment.forbidden();
    await forward(API_SERVER_POD);
    await forward(ETCD_POD);
    expect(await environment.forbidden()).toHaveLength(length);
  });

  it('requires both verbs for port-forwarding', async () => {
    for (const verb of ['get', 'create']) {
      await environment.grant((object) =>
        isForwardRole(object) ? withVerb(object, verb) : object,
      );
      await refusedAfter(() => forward(API_SERVER_POD));
    }
  });
});
