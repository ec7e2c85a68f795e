/**
 * CEL rules of the CRD. They refuse only what cannot work, and never bar the way to an object that
 * is stored already: a rule that looks at one state passes when the stored object broke it too.
 * `src/api/validation.ts` has the same rules for objects that are older than these.
 */
import { REPOSITORY } from '../../src/api/images.ts';
import { ratcheting } from './ratchet.ts';
import type { Rule } from './schema.ts';
import { DOWNLOAD_URL_PATTERN } from './syntax.ts';

/** Optional field selection from the root, such as `self.?spec.?components`. */
function path(root: string, fields: string): string {
  return [root, ...fields.split('.')].join('.?');
}

const EXTERNAL = 'spec.components.etcd.external';
const VOLUME = 'spec.components.etcd.local.volumeData';
const SECRET = `${EXTERNAL}.secretRef`;

/** Presence of a nested field, in the form whose cost the API server can bound. */
function has(root: string, fields: string): string {
  const names = fields.split('.');
  const steps = names.map((_, index) => `has(${[root, ...names.slice(0, index + 1)].join('.')})`);
  return `(${steps.join(' && ')})`;
}

const sameSecret = `(has(self.${SECRET}.name) ? has(oldSelf.value().${SECRET}.name) && self.${SECRET}.name == oldSelf.value().${SECRET}.name : !has(oldSelf.value().${SECRET}.name))`;

const WAS_READY = `${path('oldSelf', 'status.secretRef.name')}.hasValue()`;

function volumeKind(root: string): string {
  const has = (kind: string): string => `${path(root, `${VOLUME}.${kind}`)}.hasValue()`;
  return `(${has('volumeClaim')} ? 'claim' : ${has('hostPath')} ? 'hostPath' : ${has('emptyDir')} ? 'emptyDir' : '')`;
}

function isRemote(root: string): string {
  return `${path(root, 'spec.hostCluster.secretRef.name')}.orValue('') != ''`;
}

const NAME = 'self.metadata.name';
const CLUSTERS = 'spec.components.karmadaSchedulerEstimator.clusters';

/** Where labels of pods are. */
const LABELLED = ['etcd.local', ...Object.keys(REPOSITORY)];

/** Whether the names of all members leave room for that of the Karmada. */
function fits(limit: number): string {
  return `self.${CLUSTERS}.all(c, size(c) + size(${NAME}) <= ${limit})`;
}

/** The labels of all components, each of which may be absent. */
const ALL_LABELS = LABELLED.map((part) => path('self', `spec.components.${part}.labels`));
const OWN_INSTANCE = `l[?'app.kubernetes.io/instance'].orValue(${NAME}) in [${NAME}]`;

export const ROOT_RULES: readonly Rule[] = [
  {
    rule: `oldSelf.hasValue() || size(${NAME}) <= (${NAME}.contains('karmada') ? 42 : 34)`,
    fieldPath: '.metadata.name',
    message:
      'too long: at most 34 characters, or 42 when it contains "karmada", so that the names of the Services made from it fit into 63',
    optionalOldSelf: true,
  },
  {
    rule: `oldSelf.hasValue() || ${NAME}.matches('^[a-z][-a-z0-9]*$')`,
    fieldPath: '.metadata.name',
    message: 'must begin with a letter and have no dot, because Services are named after it',
    optionalOldSelf: true,
  },
  {
    rule: `oldSelf.hasValue() || [${ALL_LABELS.join(', ')}].all(l, ${OWN_INSTANCE})`,
    message:
      'the label app.kubernetes.io/instance of every component is the name of the Karmada; remove it',
    optionalOldSelf: true,
    fieldPath: '.spec.components',
  },
  {
    rule:
      `!${has('self', CLUSTERS)}` +
      ` || (${NAME}.contains('karmada') ? ${fits(42)} : ${fits(34)})` +
      ` || (oldSelf.hasValue() && ${has('oldSelf.value()', CLUSTERS)} && self.${CLUSTERS} == oldSelf.value().${CLUSTERS})`,
    message:
      'the Service of an estimator has at most 63 characters: a name in it and metadata.name together at most 34, or 42 when the latter contains "karmada"',
    optionalOldSelf: true,
    fieldPath: `.${CLUSTERS}`,
  },
  {
    rule:
      `!${has('self', EXTERNAL)} || (has(self.${SECRET}.name) && self.${SECRET}.name != '')` +
      ` || (oldSelf.hasValue() && ${has('oldSelf.value()', EXTERNAL)} && ${sameSecret})`,
    fieldPath: `.${SECRET}.name`,
    message: 'must be set: name the Secret of the etcd client',
    optionalOldSelf: true,
  },
  {
    rule:
      `${path('oldSelf', EXTERNAL)}.hasValue() == ${path('self', EXTERNAL)}.hasValue()` +
      ` || (${path('oldSelf', EXTERNAL)}.hasValue() && ${path('oldSelf', 'spec.components.etcd.local')}.hasValue())`,
    fieldPath: '.spec.components.etcd',
    reason: 'FieldValueForbidden',
    message:
      'cannot change between local and external, as the data would stay behind; create another Karmada',
  },
  {
    rule: `!${WAS_READY} || ${volumeKind('self')} in ['', ${volumeKind('oldSelf')}] || ${volumeKind('oldSelf')} == ''`,
    fieldPath: `.${VOLUME}`,
    reason: 'FieldValueForbidden',
    message: 'cannot change its kind once the instance was ready, as the data would stay behind',
  },
  {
    rule: `!${WAS_READY} || (${isRemote('self')}) == (${isRemote('oldSelf')})`,
    fieldPath: '.spec.hostCluster.secretRef',
    reason: 'FieldValueForbidden',
    message:
      'cannot be added or removed once the instance was ready, as its data would stay behind in the other cluster',
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
    'exactly one of httpSource, configMapRef and secretRef must be set; remove crdTarball to use the archive that comes with the operator',
  ),
];

export const REFERENCE_RULES: readonly Rule[] = [
  ratcheting(
    (root) => `${root}.?name.orValue('') != '' && ${root}.?__namespace__.orValue('') == ''`,
    'namespace must be set together with the name',
  ),
];

/** A stored URL with another scheme may stay; the cost of this form can be bounded. */
export const DOWNLOAD_URL_RULES: readonly Rule[] = [
  {
    rule: `self.matches(r'${DOWNLOAD_URL_PATTERN}') || (oldSelf.hasValue() && oldSelf.value() == self)`,
    message:
      'must be a URL that begins with http:// or https://, such as https://example.com/crds.tar.gz',
    optionalOldSelf: true,
  },
];

export const VOLUME_RULES: readonly Rule[] = [
  ratcheting(
    (root) => `has(${root}.emptyDir) && has(${root}.hostPath)`,
    'emptyDir and hostPath are mutually exclusive; remove one of them',
  ),
];

export const DISRUPTION_RULES: readonly Rule[] = [
  {
    rule: 'has(self.minAvailable) != has(self.maxUnavailable)',
    message: 'exactly one of minAvailable and maxUnavailable must be set',
  },
];
