/**
 * The Helm release and the plain YAML of the Go operator are replaced with the documented commands, and come back.
 *
 * @size medium
 */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { V1Container, V1Deployment } from '@kubernetes/client-node';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { linkCommands } from '../../../tools/embedded-cluster/cluster.ts';
import { run } from '../../../tools/embedded-cluster/command.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { karmadaReleases } from '../../../tools/embedded-cluster/releases.ts';
import { writeKarmadaChart } from '../../harness/karmada-charts.ts';
import { karmadaModule } from '../../../scripts/image/karmada-module.ts';
import type { KarmadaRelease } from '../../harness/go-operator.ts';
import { fencedCommands } from '../../docs/markdown-commands.ts';
import { runsAll } from '../../harness/sample.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { only, render } from './chart.ts';

const PAGE = 'docs/migrate-from-go-operator.md';
const { current, previous } = karmadaReleases;
/** The chart of v1.18 contains the CRD, which makes the upgrade simpler. The objects of v1.16 are those of v1.17. */
const RELEASES = runsAll ? Object.values(karmadaReleases) : [previous];
const CRD = 'crd/karmadas.operator.karmada.io';
const DEPLOYMENT = 'deployment/karmada-operator';
/** Objects of both operators, and a Karmada. */
const NAMES = [
  CRD,
  DEPLOYMENT,
  'serviceaccount/karmada-operator',
  'karmada/demo',
  'clusterrole/karmada-operator',
  'clusterrolebinding/karmada-operator',
];

/** A live object; `rules` and `subjects` are those of RBAC. */
type Live = KubernetesObject & {
  readonly spec?: { readonly versions?: unknown };
  readonly rules?: unknown;
  readonly subjects?: unknown;
  readonly status?: unknown;
};

let server: ApiServer;
let directory: string;
let documented: readonly string[];

/** Runs a shell command with kubectl and Helm, in a folder with the files of this checkout. */
function shell(command: string): Promise<string> {
  const path = [join(directory, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  const env = { KUBECONFIG: join(server.directory, 'kubeconfig'), HOME: directory, PATH: path };
  return run(['bash', '-c', `set -euo pipefail\n${command}`], { cwd: directory, env });
}

/** Runs a command of the page, with values for its placeholders. @throws Error if it is not on the page */
function follow(command: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
  if (!documented.includes(command))
    throw new Error(`${PAGE} does not contain ${command}, but:\n${documented.join('\n')}`);
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(name, () => value),
    command,
  );
  return shell(filled);
}

/** The objects of the operator and the Karmada. */
async function liveObjects(): Promise<readonly Live[]> {
  const get = `kubectl -n karmada-system get ${NAMES.join(' ')} --ignore-not-found -o json`;
  return (JSON.parse(await shell(get)) as { items: readonly Live[] }).items;
}

/** UID of each object, by kind. */
const uidsOf = (objects: readonly Live[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(objects.map(({ kind, metadata }) => [kind, metadata.uid]));

/** Everything that the objects define, without metadata and status, which change with each write. */
const definitionsOf = (objects: readonly Live[]): unknown[] =>
  objects.map(({ metadata, status: _, ...defined }) => ({
    ...defined,
    labels: metadata.labels ?? {},
  }));

/** The parts of a Deployment that differ between the operators. */
function partsOf({ spec }: V1Deployment): object {
  const pod = spec?.template.spec;
  const [{ image, args, command } = {}] = (pod?.containers ?? []) as Partial<V1Container>[];
  const volumes = pod?.volumes?.map(({ name }) => name);
  return { replicas: spec?.replicas, selector: spec?.selector, image, args, command, volumes };
}

/** The objects are those of this checkout: fields of the Go operator are gone. */
function expectOwn(live: readonly Live[], registry: string): void {
  const parts = (of: readonly Live[]): object => partsOf(only<V1Deployment>(of, 'Deployment'));
  const wanted = JSON.stringify(parts(own)).replaceAll('localhost', registry);
  expect(JSON.parse(JSON.stringify(parts(live)))).toEqual(JSON.parse(wanted));
  const rights = (of: readonly Live[]): unknown => [
    only<Live>(of, 'ClusterRole').rules,
    only<Live>(of, 'ClusterRoleBinding').subjects,
  ];
  expect(rights(live)).toEqual(rights(own));
  const versions = (of: readonly Live[]): unknown =>
    of.filter(({ metadata }) => CRD.endsWith(metadata.name)).map(({ spec }) => spec?.versions);
  expect(versions(live)).toEqual(versions(own));
}

/** Creates a Karmada, which must survive. */
async function createKarmada(): Promise<void> {
  await shell(`kubectl wait --for=condition=Established ${CRD} --timeout=60s`);
  const karmada = {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'demo', namespace: 'karmada-system' },
    spec: {},
  };
  await writeFile(join(directory, 'karmada.json'), JSON.stringify(karmada));
  await shell('kubectl create -f karmada.json');
}

/** Creates the CRD of the Go operator, or replaces that of an earlier test, with its labels. */
async function installGoCrd(version: KarmadaRelease): Promise<void> {
  const file = join(await karmadaModule(version), 'operator/config/crds');
  await shell(`kubectl get ${CRD} -o name && verb=replace || verb=create
    kubectl "$verb" -f ${file}`);
}

/** Installs the chart of the Go operator like a user who selects its image. */
async function installGoOperator(version: KarmadaRelease): Promise<void> {
  const chart = join(directory, version);
  const values = [
    `--set=karmadaOperatorImageVersion=${version},operator.image.tag=${version}`,
    '--set=operator.podAnnotations.team=fleet',
  ];
  await installGoCrd(version);
  // The hooks of the charts up to v1.17 apply the CRD again, with a Job.
  const flags = ['-n karmada-system', '--no-hooks', '--take-ownership'];
  const install = ['helm install karmada-operator', chart, ...flags];
  await shell([...install, ...values].join(' '));
}

/** Saves the values of the release, and removes the image, as the page says. */
async function saveValues(): Promise<void> {
  await follow(
    'helm get values karmada-operator --namespace karmada-system --output yaml > values.yaml',
  );
  const file = join(directory, 'values.yaml');
  const text = await readFile(file, 'utf8');
  expect(text).toContain('karmadaOperatorImageVersion');
  const kept = text.replaceAll(
    /^karmadaOperatorImageVersion:.*\n|^ {2}image:\n(?: {4}.*\n)*/gm,
    '',
  );
  expect(kept).toBe('operator:\n  podAnnotations:\n    team: fleet\n');
  await writeFile(file, kept);
}

const UPGRADE =
  'helm upgrade karmada-operator charts/karmada-operator --namespace karmada-system --reset-values' +
  ' --values values.yaml --set operator.image.registry=REGISTRY';
const ROLLBACK = 'helm rollback karmada-operator REVISION --namespace karmada-system';
const REPLACE_CRD = 'kubectl replace -f KARMADA/operator/config/crds/';

const REGISTRY = 'registry.example.com';
/** Objects of the chart of this checkout. */
let own: readonly Live[];

beforeAll(async () => {
  server = await startApiServer();
  directory = await mkdtemp(join(tmpdir(), 'go-operator-'));
  const { helm, kubernetes } = await ensureBinaries(['helm', 'kubernetes']);
  await linkCommands(join(directory, 'bin'), { helm, kubectl: kubernetes });
  for (const name of ['charts', 'crds', 'config'])
    await symlink(join(checkout, name), join(directory, name));
  for (const version of RELEASES) {
    await mkdir(join(directory, version));
    await writeKarmadaChart(join(directory, version), 'karmada-operator', version);
  }
  const page = await readFile(join(checkout, PAGE), 'utf8');
  documented = fencedCommands(page.replaceAll(/^ {3,5}/gm, ''), 'text').map((command) =>
    command.replaceAll(/\s*\\\n\s*/g, ' '),
  );
  own = (await render()).objects as readonly Live[];
  await shell('kubectl create namespace karmada-system');
}, 600_000);

afterEach(async () => {
  await shell(`helm uninstall karmada-operator -n karmada-system --ignore-not-found
    kubectl delete -f config/deploy/2-rights.yaml -f config/deploy/3-operator.yaml --ignore-not-found
    kubectl delete karmadas --all -n karmada-system`);
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await server.stop();
});

describe('Helm release of the Go operator', () => {
  it.each(RELEASES)('of Karmada %s is upgraded in place, and rolled back', async (version) => {
    await installGoOperator(version);
    await createKarmada();
    const before = await liveObjects();

    await saveValues();
    await follow(`${UPGRADE} --take-ownership`, { REGISTRY });
    const upgraded = await liveObjects();
    expectOwn(upgraded, REGISTRY);
    const { spec } = only<V1Deployment>(upgraded, 'Deployment');
    expect(spec?.template.metadata?.annotations).toEqual({ team: 'fleet' });
    expect(uidsOf(upgraded)).toEqual(uidsOf(before));

    await shell(`kubectl -n karmada-system scale ${DEPLOYMENT} --replicas=0`);
    await follow(ROLLBACK, { REVISION: '1' });
    const KARMADA = await karmadaModule(version);
    if (version !== current) await follow(REPLACE_CRD, { KARMADA });
    const returned = await liveObjects();
    expect(definitionsOf(returned)).toEqual(definitionsOf(before));
    expect(uidsOf(returned)).toEqual(uidsOf(before));
  });

  it('whose CRD is not part of it is upgraded without --take-ownership when the CRD has the labels of Helm', async () => {
    await installGoOperator(previous);
    await saveValues();
    const upgrade = UPGRADE.replace('REGISTRY', REGISTRY);
    await expect(shell(upgrade)).rejects.toThrow('invalid ownership metadata');
    await follow(
      'kubectl label crd karmadas.operator.karmada.io app.kubernetes.io/managed-by=Helm',
    );
    await follow(
      'kubectl annotate crd karmadas.operator.karmada.io meta.helm.sh/release-name=karmada-operator' +
        ' meta.helm.sh/release-namespace=karmada-system',
    );
    await shell(upgrade);
    expectOwn(await liveObjects(), REGISTRY);
  });
});

describe('chart of this operator', () => {
  it('rejects values that select the image of the Go operator', async () => {
    const { error } = await render(['--set=operator.image.repository=karmada/karmada-operator']);
    expect(error).toContain('remove operator.image and karmadaOperatorImageVersion');
  });
});

describe('plain YAML of the Go operator', () => {
  it.each(RELEASES)('of Karmada %s is replaced, and comes back', async (version) => {
    const KARMADA = await karmadaModule(version);
    await installGoCrd(version);
    await shell(`kubectl apply -f ${KARMADA}/operator/config/deploy/`);
    await createKarmada();
    const before = await liveObjects();
    const apply = 'kubectl apply --server-side --force-conflicts -f crds/ -f config/deploy/';
    await expect(shell(apply)).rejects.toThrow('field is immutable');

    await follow('kubectl delete deployment karmada-operator --namespace karmada-system');
    await follow(apply);
    const replaced = await liveObjects();
    expectOwn(replaced, 'localhost');
    const kept = before.filter(({ kind }) => kind !== 'Deployment');
    expect(uidsOf(replaced)).toMatchObject(uidsOf(kept));

    await follow('kubectl delete -f config/deploy/2-rights.yaml -f config/deploy/3-operator.yaml');
    await follow(REPLACE_CRD, { KARMADA });
    await follow('kubectl apply -f KARMADA/operator/config/deploy/', { KARMADA });
    const returned = await liveObjects();
    expect(definitionsOf(returned)).toEqual(definitionsOf(before));
    expect(uidsOf(returned)['Karmada']).toBe(uidsOf(before)['Karmada']);
  });
});
