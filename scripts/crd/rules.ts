/**
 * CEL rules of the CRD. They reject only what cannot work. They never block updates of a stored object: a rule about
 * a single state is ratcheting, so it passes if the stored object already violates it.
 * `src/api/validation/validation.ts` has the same rules for objects that were stored before these rules existed.
 */
import { REPOSITORY } from '../../src/api/images.ts';
import { ratcheting } from './ratchet.ts';
import type { Rule } from './schema.ts';
import { DOWNLOAD_URL_PATTERN } from './syntax.ts';

/** CEL: optional field selection from a root, such as `self.?spec.?components`. */
function path(root: string, fields: string): string {
  return [root, ...fields.split('.')].join('.?');
}

const EXTERNAL = 'spec.components.etcd.external';
const VOLUME = 'spec.components.etcd.local.volumeData';
const SECRET = `${EXTERNAL}.secretRef`;

/** CEL: presence of a nested field. The value itself is read without `.?`, so that the API server can bound the cost. */
function isSet(root: string, fields: string): string {
  return `${path(root, fields)}.hasValue()`;
}

const sameSecret = `(has(self.${SECRET}.name) ? has(oldSelf.value().${SECRET}.name) && self.${SECRET}.name == oldSelf.value().${SECRET}.name : !has(oldSelf.value().${SECRET}.name))`;

const WAS_READY = isSet('oldSelf', 'status.secretRef.name');

function volumeKind(root: string): string {
  const has = (kind: string): string => isSet(root, `${VOLUME}.${kind}`);
  return `(${has('volumeClaim')} ? 'claim' : ${has('hostPath')} ? 'hostPath' : ${has('emptyDir')} ? 'emptyDir' : '')`;
}

function isRemote(root: string): string {
  return `${path(root, 'spec.hostCluster.secretRef.name')}.orValue('') != ''`;
}

const NAME = 'self.metadata.name';
const CLUSTERS = 'spec.components.karmadaSchedulerEstimator.clusters';

/** Fields below `spec.components` that have Pod labels. */
const LABELED = ['etcd.local', ...Object.keys(REPOSITORY)];

/** CEL: each cluster name and the name of the Karmada together fit into a limit. */
function fits(limit: number): string {
  return `self.${CLUSTERS}.all(c, size(c) + size(${NAME}) <= ${limit})`;
}

/** Labels of all components; each may be absent. */
const ALL_LABELS = LABELED.map((part) => path('self', `spec.components.${part}.labels`));
const OWN_INSTANCE = `l[?'app.kubernetes.io/instance'].orValue(${NAME}) in [${NAME}]`;

export const ROOT_RULES: readonly Rule[] = [
  {
    rule: `oldSelf.hasValue() || size(${NAME}) <= (${NAME}.contains('karmada') ? 42 : 34)`,
    fieldPath: '.metadata.name',
    message:
      'too long: at most 34 characters, or 42 if it contains "karmada", because Service names derived from it are limited to 63',
    optionalOldSelf: true,
  },
  {
    rule: `oldSelf.hasValue() || ${NAME}.matches('^[a-z][-a-z0-9]*$')`,
    fieldPath: '.metadata.name',
    message: 'must start with a letter and contain no dot, because Services are named after it',
    optionalOldSelf: true,
  },
  {
    rule: `oldSelf.hasValue() || [${ALL_LABELS.join(', ')}].all(l, ${OWN_INSTANCE})`,
    message: 'label app.kubernetes.io/instance must be the name of the Karmada; remove the label',
    optionalOldSelf: true,
    fieldPath: '.spec.components',
  },
  {
    rule:
      `!${isSet('self', CLUSTERS)}` +
      ` || (${NAME}.contains('karmada') ? ${fits(42)} : ${fits(34)})` +
      ` || (${isSet('oldSelf', CLUSTERS)} && self.${CLUSTERS} == oldSelf.value().${CLUSTERS})`,
    message:
      'too long: a cluster name and metadata.name together may have at most 34 characters, or 42 if metadata.name contains "karmada", because estimator Service names are limited to 63',
    optionalOldSelf: true,
    fieldPath: `.${CLUSTERS}`,
  },
  {
    rule:
      `!${isSet('self', EXTERNAL)} || (has(self.${SECRET}.name) && self.${SECRET}.name != '')` +
      ` || (${isSet('oldSelf', EXTERNAL)} && ${sameSecret})`,
    fieldPath: `.${SECRET}.name`,
    message: 'must be set to the name of the Secret with the etcd client certificate',
    optionalOldSelf: true,
  },
  {
    rule:
      `${isSet('oldSelf', EXTERNAL)} == ${isSet('self', EXTERNAL)}` +
      ` || (${isSet('oldSelf', EXTERNAL)} && ${isSet('oldSelf', 'spec.components.etcd.local')})`,
    fieldPath: '.spec.components.etcd',
    reason: 'FieldValueForbidden',
    message:
      'cannot switch between local and external, because the data is not migrated; create another Karmada',
  },
  {
    rule: `!${WAS_READY} || ${volumeKind('self')} in ['', ${volumeKind('oldSelf')}] || ${volumeKind('oldSelf')} == ''`,
    fieldPath: `.${VOLUME}`,
    reason: 'FieldValueForbidden',
    message:
      'the volume type cannot change after the control plane was Ready once, because the data is not migrated',
  },
  {
    rule: `!${WAS_READY} || (${isRemote('self')}) == (${isRemote('oldSelf')})`,
    fieldPath: '.spec.hostCluster.secretRef',
    reason: 'FieldValueForbidden',
    message:
      'cannot be added or removed after the control plane was Ready once, because the data would stay in the other cluster',
  },
];

export const ETCD_RULES: readonly Rule[] = [
  ratcheting(
    (root) => `has(${root}.local) && has(${root}.external)`,
    'local and external are mutually exclusive; remove one of them',
  ),
];

const SOURCES = ['httpSource', 'configMapRef', 'secretRef'] as const;

export const CRD_TARBALL_RULES: readonly Rule[] = [
  ratcheting(
    (root) => `${SOURCES.map((source) => `(has(${root}.${source}) ? 1 : 0)`).join(' + ')} != 1`,
    'exactly one of httpSource, configMapRef and secretRef must be set; remove crdTarball to use the archive in the operator image',
  ),
];

export const REFERENCE_RULES: readonly Rule[] = [
  ratcheting(
    (root) => `${root}.?name.orValue('') != '' && ${root}.?__namespace__.orValue('') == ''`,
    'namespace is required if name is set',
  ),
];

/** A stored URL that violates the rule may stay. Not `ratcheting`: the API server can bound the cost of this form. */
export const DOWNLOAD_URL_RULES: readonly Rule[] = [
  {
    rule: `self.matches(r'${DOWNLOAD_URL_PATTERN}') || (oldSelf.hasValue() && oldSelf.value() == self)`,
    message: 'must be an http:// or https:// URL, such as https://example.com/crds.tar.gz',
    optionalOldSelf: true,
  },
];

export const VOLUME_RULES: readonly Rule[] = [
  ratcheting(
    (root) => `has(${root}.emptyDir) && has(${root}.hostPath)`,
    'emptyDir and hostPath are mutually exclusive; remove one of them',
  ),
];

/** The e2e suite of the Go operator expects both texts. One rule, because the CRD must fit into an annotation. */
export const DISRUPTION_RULES: readonly Rule[] = [
  {
    rule: 'has(self.minAvailable) != has(self.maxUnavailable)',
    message:
      'either minAvailable or maxUnavailable must be set; minAvailable and maxUnavailable are mutually exclusive',
  },
];
