/** Extracts the facts of a Karmada release from its Go module and from the programs that are built from it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type {
  KarmadaProgram,
  ProgramTable,
  ReleaseTable,
  WebhookTable,
} from '../../src/api/releases/release-table.ts';
import { CATALOG } from '../../src/api/component-catalog.ts';
import { parseVersion } from '../../src/api/versions/versions.ts';
import { readArchive } from '../../src/controlplane/archive.ts';
import { verifyArchive } from '../../src/crd-archives/verify.ts';
import { keysOf, recordOf } from '../../src/kubernetes/objects/records.ts';
import { fields, isText, listOf } from '../../src/untrusted/checks.ts';
import { ensureBinaries, type BinaryName } from '../../tools/embedded-cluster/binaries.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { parseJson } from '../../tools/embedded-cluster/parse-json.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { crdArchive, karmadaModule } from '../image/karmada-module.ts';

const PROGRAMS: readonly KarmadaProgram[] = CATALOG.flatMap((row) =>
  row.release === 'karmada' ? [row.name] : [],
).sort();

/** Binaries with all Karmada programs of a release. */
const BINARY: Readonly<Record<keyof typeof karmadaReleases, BinaryName>> = {
  current: 'karmada',
  previous: 'karmada-previous',
  oldest: 'karmada-oldest',
};

/** Part of the table that needs no build. */
export type ModuleTable = Omit<ReleaseTable, 'programs'>;

/**
 * Reads what the Go module of a release contains as files.
 * @throws Error if the module cannot be downloaded or does not have the expected files
 */
export async function moduleTable(release: string): Promise<ModuleTable> {
  const directory = await karmadaModule(release);
  const { minor = 0 } = parseVersion(release) ?? {};
  return {
    release,
    minor,
    kubernetesMinor: clientMinor(await readFile(join(directory, 'go.mod'), 'utf8')),
    crds: await crdTable(release),
    webhooks: webhookTable(await readFile(join(directory, WEBHOOKS), 'utf8')),
  };
}

/** Returns the minor version of the Kubernetes client libraries in a go.mod. @throws Error if it names none */
function clientMinor(module: string): number {
  const found = /^\s*k8s\.io\/client-go v0\.(\d+)\./m.exec(module)?.[1];
  if (found === undefined) throw new Error('go.mod: no k8s.io/client-go v0.x');
  return Number(found);
}

async function crdTable(release: string): Promise<ReleaseTable['crds']> {
  const path = await crdArchive(release);
  const hash = createHash('sha256');
  const files = await readArchive(createReadStream(path));
  for (const { path: name, text } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`${name}\0${text}\0`);
  const { archive } = await verifyArchive(createReadStream(path), { release: undefined });
  const names = (converted: boolean): readonly string[] =>
    archive.crds
      .filter(({ conversion }) => !converted || conversion !== undefined)
      .map(({ definition }) => definition.metadata.name)
      .sort();
  return { sha256: hash.digest('hex'), names: names(false), converted: names(true) };
}

/** Go file with the webhook configurations of the Go operator, as YAML templates between backticks. */
const WEBHOOKS = 'operator/pkg/karmadaresource/webhookconfiguration/manifests.go';

const isRule = fields({
  operations: listOf(isText),
  apiGroups: listOf(isText),
  resources: listOf(isText),
});
const isWebhook = fields({ clientConfig: fields({ url: isText }), rules: listOf(isRule) });
const isWebhookManifest = fields({ webhooks: listOf(isWebhook) });

/** Returns the entries of the webhook configurations in a Go file with YAML templates. */
function webhookTable(source: string): readonly WebhookTable[] {
  const templates = [...source.matchAll(/`([^`]*)`/g)].map(([, text = '']) => text);
  const manifests = templates.map((text) => load(text.replaceAll(/\{\{[^}]*\}\}/g, 'x')));
  if (!manifests.every(isWebhookManifest))
    throw new Error(`${WEBHOOKS}: a template is no webhook configuration`);
  return manifests
    .flatMap(({ webhooks }) => webhooks)
    .flatMap(({ clientConfig, rules }) =>
      rules.map(({ operations, apiGroups, resources }) => ({
        path: new URL(clientConfig.url).pathname,
        operations,
        resources: apiGroups.flatMap((group) => resources.map((name) => `${name}.${group}`)),
      })),
    )
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Returns what the programs of a release accept. Builds them if they are missing in the cache, which takes minutes.
 * @throws Error for a release without a module file in tools/embedded-cluster
 */
export async function programTables(release: string): Promise<ReleaseTable['programs']> {
  const found = keysOf(karmadaReleases).find((name) => karmadaReleases[name] === release);
  if (found === undefined)
    throw new Error(
      `${release}: add the release to tools/embedded-cluster/releases.ts and its module file to tools/embedded-cluster/go/karmada`,
    );
  const name = BINARY[found];
  const { [name]: path } = await ensureBinaries([name]);
  const tables: [KarmadaProgram, ProgramTable][] = [];
  for (const program of PROGRAMS) tables.push([program, await programTable(path ?? '', program)]);
  return recordOf(tables);
}

const isAccepted = fields({
  flags: listOf(isText),
  hidden: listOf(isText),
  gates: listOf(isText),
});

async function programTable(path: string, program: KarmadaProgram): Promise<ProgramTable> {
  const text = await run([path, 'accepted', program]);
  const { flags, hidden, gates } = parseJson(text, isAccepted, `${path} accepted ${program}`);
  return { flags, hiddenFlags: hidden, featureGates: gates };
}

/** Returns the whole table of a release. */
export async function releaseTable(release: string): Promise<ReleaseTable> {
  return { ...(await moduleTable(release)), programs: await programTables(release) };
}
