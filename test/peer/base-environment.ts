/** The control plane and the member clusters for the suite of the Karmada API. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { karmadaModule } from '../../scripts/image/karmada-module.ts';
import { instanceName } from '../../src/api/naming.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { apply } from '../harness/cluster.ts';
import { auditedComponents, ComponentAudit } from '../harness/component-audit/follow-components.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { accessTo, untilMember } from '../harness/members.ts';
import { startInterpreter, stopInterpreter } from './interpreter.ts';
import type { SuiteEnvironment } from './run.ts';

/** The suite looks for Pods of the control plane with these names. */
const NAME = 'karmada';
const NAMESPACE = 'karmada-system';
const WORKLOAD_CRD = 'examples/customresourceinterpreter/apis/workload.example.io_workloads.yaml';

export interface BaseScene {
  readonly host: Cluster;
  /** Member clusters by name. */
  readonly members: Readonly<Record<string, Cluster>>;
  readonly release: string;
  /** Program of the interpreter webhook. */
  readonly interpreter: string;
}

/** A control plane with all add-ons, and with the settings that the scripts of Karmada use for the suite. */
const karmada = (release: string): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: NAME, namespace: NAMESPACE },
  spec: {
    version: release,
    featureGates: { AllAlpha: true, AllBeta: true },
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      // karmadactl does not use the TLS server name of a kubeconfig, so the address must be in the certificate.
      karmadaAPIServer: { serviceType: 'NodePort', ...auditedComponents },
      karmadaControllerManager: {
        controllers: ['*', 'hpaScaleTargetMarker', 'deploymentReplicasSyncer'],
        extraArgs: { 'enable-no-execute-taint-eviction': 'true' },
      },
      karmadaWebhook: { extraArgs: { 'allow-no-execute-taint-policy': 'true' } },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaDescheduler: {},
      karmadaSearch: {},
      karmadaSchedulerEstimator: {},
    },
  },
});

/** Follows the requests of the components, from before the control plane exists. */
export const startAudit = async (host: Cluster): Promise<ComponentAudit> =>
  ComponentAudit.start(host, { name: NAME, namespace: NAMESPACE });

/** Installs the control plane, and joins the member clusters. */
export async function installControlPlane(scene: BaseScene): Promise<void> {
  const { host, members, release, interpreter } = scene;
  await apply(host, karmada(release));
  await untilReady(host, NAME, NAMESPACE, 600_000);
  const plane = await openControlPlane(host, NAME, NAMESPACE);
  const crd = await readFile(join(await karmadaModule(release), WORKLOAD_CRD), 'utf8');
  await plane.kubectl(['apply', '--server-side', '-f', '-'], crd);
  for (const [name, member] of Object.entries(members)) {
    await kubectl(member, ['apply', '--server-side', '-f', '-'], crd);
    await plane.karmadactl(['join', name, ...(await accessTo(member))]);
    await untilMember(plane, name, 'Push');
  }
  await startInterpreter(host, interpreter, plane);
  // The estimators of the member clusters.
  await untilReady(host, NAME, NAMESPACE, 600_000);
}

/** Removes the control plane of an earlier run, and what it left in the member clusters. */
export async function removeControlPlane({ host, members }: BaseScene): Promise<void> {
  stopInterpreter(host);
  const where = ['-n', NAMESPACE];
  await tryKubectl(host, ['delete', 'karmada', NAME, ...where, '--timeout=180s']);
  for (const member of Object.values(members)) {
    const listed = await kubectl(member, ['get', 'namespaces', '-o', 'name']);
    const left = listed
      .split('\n')
      .filter((one) => /^namespace\/(?:karmadatest-|karmada-cluster)/.test(one));
    if (left.length > 0) await tryKubectl(member, ['delete', ...left, '--timeout=180s']);
  }
}

/** Environment of the suite: one kubeconfig with the contexts of the host cluster and of the control plane. */
export async function baseEnvironment(host: Cluster, home: string): Promise<SuiteEnvironment> {
  const secret = ['get', 'secret', instanceName(NAME, 'admin-config'), '-n', NAMESPACE, '-o'];
  const encoded = await kubectl(host, [...secret, 'jsonpath={.data.kubeconfig}']);
  const own = join(home, 'control-plane.kubeconfig');
  await writeFile(own, Buffer.from(encoded, 'base64'), { mode: 0o600 });
  const program = join(host.bin, 'kubectl');
  const context = await run([program, '--kubeconfig', own, 'config', 'current-context']);
  const merged = await run([program, 'config', 'view', '--raw', '--flatten'], {
    env: { KUBECONFIG: `${host.kubeconfig}:${own}` },
  });
  const kubeconfig = join(home, 'kubeconfig');
  await writeFile(kubeconfig, merged, { mode: 0o600 });
  return {
    variables: { KUBECONFIG: kubeconfig },
    flags: [`--karmada-context=${context.trim()}`],
  };
}
