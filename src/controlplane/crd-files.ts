/** Parses and validates one file of a CRD archive. Pure functions. */
import { isObject } from '../kubernetes/objects/compare.ts';
import { YAMLException } from 'js-yaml';

import { quoted } from '../api/validation/field-error.ts';
import { OLDEST_KARMADA_MINOR } from '../api/releases/releases.ts';
import { dnsLabel } from '../api/validation/syntax.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { detached, parseYamlWithin, YAML_DEPTH } from '../untrusted/documents.ts';
import { UntrustedLimitError } from '../untrusted/limits.ts';
import { DEFAULT_LIMITS, type ArchiveEntry } from './archive.ts';
import { CRD_CONVERSION, CRD_SPEC, fitting, MisfitError, TEXTS } from './crd-fields.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** `spec.conversion` of one CRD, with placeholders. */
interface ConversionPatch {
  /** Name of the CRD. */
  readonly name: string;
  readonly conversion: JsonObject;
}

/** Parsed file of an archive. */
export type CrdFile = { readonly path: string } & (
  | { readonly kind: 'definition'; readonly definition: KubernetesObject }
  | { readonly kind: 'patch'; readonly patch: ConversionPatch }
  /** Expected file without content that the operator uses. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly problem: string }
);

/** API groups whose CRDs an archive may contain: the folders below `crds/bases` in a release. */
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

/** URL of the conversion webhook in a patch: the webhook server of this control plane. */
const WEBHOOK_URL = /^https:\/\/\{\{name\}\}\.\{\{namespace\}\}\.svc(:443)?\/[a-z/-]*$/;

/** The same in Karmada v1.12, whose webhook has a fixed name. */
const FORMER_URL = 'https://karmada-webhook.karmada-system.svc:443/convert';
/** Line of a patch of Karmada v1.11 and earlier, which is no YAML: the Go operator replaces it in the text. */
const FORMER_BUNDLE = 'caBundle: {{caBundle}}\n';
const FORMER = `is of Karmada v1.12 or earlier, which the operator does not support; the oldest supported release is v1.${OLDEST_KARMADA_MINOR}`;

/** Reads one file: a CustomResourceDefinition of a Karmada API group, or a patch of `spec.conversion`. */
export function readCrdFile({ path, text }: ArchiveEntry): CrdFile {
  if (INDEX.test(path)) return { path, kind: 'ignored' };
  if (!BASE.test(path) && !PATCH.test(path))
    return refused(
      path,
      'is not an expected file (crds/bases/…yaml, crds/patches/…yaml or crds/kustomization.yaml)',
    );
  const read = parse(text);
  if ('problem' in read)
    return refused(path, PATCH.test(path) && text.includes(FORMER_BUNDLE) ? FORMER : read.problem);
  try {
    return BASE.test(path) ? asDefinition(path, read.crd) : asPatch(path, read.crd);
  } catch (error) {
    if (error instanceof MisfitError) return refused(path, error.message);
    throw error;
  }
}

/** @throws MisfitError */

function asDefinition(path: string, crd: CrdDocument): CrdFile {
  const { group, names } = crd.spec;
  const plural = String(fieldsOf(names)['plural']);
  if (!GROUPS.has(String(group)))
    return refused(
      path,
      `defines a kind of the API group ${quoted(group)}, which is not a CRD group of Karmada`,
    );
  if (crd.metadata.name !== `${plural}.${String(group)}` || !dnsLabel.matches(plural))
    return refused(path, 'has a metadata.name that does not match its plural and group');
  const { name } = crd.metadata;
  const labels = fittingTexts(crd.metadata.labels, 'metadata.labels');
  const annotations = fittingTexts(crd.metadata.annotations, 'metadata.annotations');
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  const spec = fitting(crd.spec, CRD_SPEC, 'spec');
  const definition = { apiVersion: crd.apiVersion, kind: crd.kind, metadata, spec };
  return { path, kind: 'definition', definition };
}

/** @throws MisfitError */
const fittingTexts = (value: unknown, path: string): Readonly<Record<string, string>> | undefined =>
  (fitting(value, TEXTS, path) ?? undefined) as Readonly<Record<string, string>> | undefined;

/** @throws MisfitError */
function asPatch(path: string, crd: CrdDocument): CrdFile {
  const { conversion, ...rest } = crd.spec;
  if (!isObject(conversion) || Object.keys(rest).length > 0)
    return refused(path, 'patches something other than spec.conversion');
  if (urlOf(conversion) === FORMER_URL) return refused(path, FORMER);
  if (!staysHome(conversion))
    return refused(path, 'configures a conversion that does not use karmada-webhook');
  const kept = fieldsOf(fitting(conversion, CRD_CONVERSION, 'spec.conversion'));
  return { path, kind: 'patch', patch: { name: crd.metadata.name, conversion: kept } };
}

function urlOf({ webhook }: JsonObject): unknown {
  const client = isObject(webhook) ? webhook['clientConfig'] : undefined;
  return isObject(client) ? client['url'] : undefined;
}

/** Returns whether a conversion uses only the webhook server of this control plane, or none. */
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

interface CrdDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string };
  readonly spec: JsonObject;
}

type Parsed = { readonly crd: CrdDocument } | { readonly problem: string };

function parse(text: string): Parsed {
  try {
    return asCrd(detached(parseYamlWithin(text, { size: DEFAULT_LIMITS.file })));
  } catch (error) {
    return { problem: yamlFault(error) };
  }
}

/** Describes a YAML error without quoting the untrusted text, as the message of the parser does. */
function yamlFault(error: unknown): string {
  if (error instanceof UntrustedLimitError) return error.message;
  const reason = error instanceof YAMLException ? error.reason : '';
  if (reason.includes('maxAliases')) return 'contains YAML aliases, which are not allowed';
  if (reason.includes('maxDepth')) return `is nested more than ${YAML_DEPTH} levels deep`;
  if (reason.includes('single document')) return 'contains more than one YAML document';
  return 'is not valid YAML';
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
  return { crd: { apiVersion, kind, metadata: { ...metadata, name: metadata['name'] }, spec } };
}

const ONLY = 'not a CustomResourceDefinition of apiextensions.k8s.io/v1';
const NOT_A_CRD = `is ${ONLY}`;
