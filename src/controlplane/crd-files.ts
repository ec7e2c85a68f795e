/** One file of an archive of CRDs: what it says, or why it is refused. Pure. */
import { load, YAMLException } from 'js-yaml';

import { quoted } from '../api/field-error.ts';
import { dnsLabel } from '../api/syntax.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { ArchiveEntry } from './archive.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** `spec.conversion` of one CRD, placeholders in place. */
interface ConversionPatch {
  /** Name of the CRD. */
  readonly name: string;
  readonly conversion: JsonObject;
}

/** What a file was found to be. */
export type CrdFile = { readonly path: string } & (
  | { readonly kind: 'definition'; readonly definition: KubernetesObject }
  | { readonly kind: 'patch'; readonly patch: ConversionPatch }
  /** A file that such an archive has and that nothing is taken from. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly problem: string }
);

/** Groups whose CRDs an archive may bring: those of the folders below `crds/bases` in a release. */
const GROUPS: ReadonlySet<string> = new Set([
  'apps.karmada.io',
  'autoscaling.karmada.io',
  'config.karmada.io',
  'multicluster.x-k8s.io',
  'networking.karmada.io',
  'policy.karmada.io',
  'remedy.karmada.io',
  'work.karmada.io',
]);

const BASE = /^crds\/bases\/.+\.ya?ml$/;
const PATCH = /^crds\/patches\/.+\.ya?ml$/;
const INDEX = /^crds\/kustomization\.ya?ml$/;

/** Where a patch says the conversion webhook is: at this instance's own webhook server. */
const WEBHOOK_URL = /^https:\/\/\{\{name\}\}\.\{\{namespace\}\}\.svc(:443)?\/[a-z/-]*$/;

/** Levels of a text; a CRD of a release has about 60. */
const MAX_DEPTH = 100;

/** Reads one file: a CustomResourceDefinition of Karmada's groups, or the patch of a conversion. */
export function readCrdFile({ path, text }: ArchiveEntry): CrdFile {
  if (INDEX.test(path)) return { path, kind: 'ignored' };
  if (!BASE.test(path) && !PATCH.test(path))
    return refused(
      path,
      'is none of the files that such an archive has: crds/bases/…yaml, crds/patches/…yaml, crds/kustomization.yaml',
    );
  const read = parse(text);
  if ('problem' in read) return refused(path, read.problem);
  return BASE.test(path) ? asDefinition(path, read.crd) : asPatch(path, read.crd);
}

function asDefinition(path: string, crd: CrdDocument): CrdFile {
  const { group, names } = crd.spec;
  const plural = String(names?.plural);
  if (!GROUPS.has(String(group)))
    return refused(path, `defines a kind of the group ${quoted(group)}, which is not Karmada's`);
  if (crd.metadata.name !== `${plural}.${group}` || !dnsLabel.matches(plural))
    return refused(path, 'has a name that does not fit its group and plural');
  const { name, labels, annotations } = crd.metadata;
  const spec = Object.fromEntries(
    Object.entries(crd.spec).filter(([field]) => field !== 'conversion'),
  );
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  const definition = { apiVersion: crd.apiVersion, kind: crd.kind, metadata, spec };
  return { path, kind: 'definition', definition };
}

function asPatch(path: string, crd: CrdDocument): CrdFile {
  const { conversion, ...rest } = crd.spec;
  if (!isObject(conversion) || Object.keys(rest).length > 0)
    return refused(path, 'patches something other than spec.conversion');
  if (!staysHome(conversion))
    return refused(path, 'sends conversions elsewhere than to karmada-webhook');
  return { path, kind: 'patch', patch: { name: crd.metadata.name, conversion } };
}

/** Whether a conversion names no server but this instance's own webhook. */
function staysHome({ strategy, webhook }: JsonObject): boolean {
  const client = isObject(webhook) ? webhook['clientConfig'] : undefined;
  if (!isObject(client)) return strategy === 'None' && webhook === undefined;
  const { url } = client;
  const own = typeof url === 'string' && WEBHOOK_URL.test(url);
  return strategy === 'Webhook' && own && client['service'] === undefined;
}

function refused(path: string, problem: string): CrdFile {
  return { path, kind: 'refused', problem: `${path} ${problem}` };
}

interface CrdDocument extends KubernetesObject {
  readonly spec: JsonObject & { readonly group?: string; readonly names?: { plural?: string } };
}

type Parsed = { readonly crd: CrdDocument } | { readonly problem: string };

function parse(text: string): Parsed {
  try {
    // Without aliases, a small file cannot be a tree without end.
    return asCrd(withoutText(load(text, { maxAliases: 0, maxDepth: MAX_DEPTH })));
  } catch (error) {
    return { problem: yamlFault(error) };
  }
}

/** The parser cuts its strings out of the text and so keeps all of it in memory; these are copies. */
function withoutText(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document ?? null));
}

/** The parser's words quote the text; these do not. */
function yamlFault(error: unknown): string {
  const reason = error instanceof YAMLException ? error.reason : '';
  if (reason.includes('maxAliases')) return 'has YAML aliases, which no CRD needs';
  if (reason.includes('maxDepth')) return `is nested more than ${MAX_DEPTH} levels deep`;
  if (reason.includes('single document')) return 'holds more than one document';
  return 'is not YAML';
}

function asCrd(document: unknown): Parsed {
  if (!isObject(document)) return { problem: NOT_A_CRD };
  const { apiVersion, kind, metadata, spec } = document;
  if (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'CustomResourceDefinition')
    return {
      problem:
        kind === undefined ? NOT_A_CRD : `is a ${quoted(kind)} of ${quoted(apiVersion)}, ${ONLY}`,
    };
  if (!isObject(metadata) || typeof metadata['name'] !== 'string' || !isObject(spec))
    return { problem: NOT_A_CRD };
  return { crd: document as unknown as CrdDocument };
}

const ONLY = 'not a CustomResourceDefinition of apiextensions.k8s.io/v1';
const NOT_A_CRD = `is ${ONLY}`;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
