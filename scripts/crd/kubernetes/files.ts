/** Rules for volumes whose files come from API objects. */
import type { Rule } from '../schema.ts';
import { SHORT_KEYS } from './claims.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import { FILE_MODE, LOCAL_PATH, NOT_EMPTY, OPTIONAL_LOCAL_PATH, QUALIFIED } from './patterns.ts';

/** Reference with a non-empty name. */
export const NAMED: Overlay = { required: ['name'], fields: { name: NOT_EMPTY } };

const SIGNER =
  '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+/[a-z0-9]+((\\.|-+)[a-z0-9]+)*$';

/** Rule: exactly one of these fields is set. */
export function exactlyOne(names: readonly string[], message: string): Rule {
  const present = names.map((name) => `has(self.${name})`).join(', ');
  return { rule: `[${present}].filter(x, x).size() == 1`, message };
}

const RESOURCE_FIELDS = '(limits|requests)\\.(cpu|memory|ephemeral-storage|hugepages-.*)';
const DIVISORS = '^(0|1|1m|1[kMGTPE]|1[KMGTPE]i)$';
/** Pattern of `metadata.labels['key']`. */
const SUBSCRIPT = (type: string, key: string): string => `metadata\\.${type}\\['${key}'\\]`;
/** Pattern of a reference to a single label or annotation of the Pod. */
export const SUBSCRIPTED = `${SUBSCRIPT('labels', QUALIFIED)}|${SUBSCRIPT('annotations', `(?i:${QUALIFIED})`)}`;

const downwardFile: Overlay = {
  fields: {
    path: LOCAL_PATH,
    mode: FILE_MODE,
    fieldRef: {
      fields: {
        fieldPath: {
          pattern: `^(metadata\\.(name|namespace|uid|labels|annotations)|${SUBSCRIPTED})$`,
        },
      },
    },
    resourceFieldRef: { required: ['containerName'], fields: { containerName: NOT_EMPTY } },
  },
  rules: [
    exactlyOne(
      ['fieldRef', 'resourceFieldRef'],
      'exactly one of fieldRef and resourceFieldRef must be set',
    ),
  ],
};

/** Rules by Kubernetes type. */
export const FILES: TypeRules = {
  ConfigMapVolumeSource: { ...NAMED, fields: { ...NAMED.fields, defaultMode: FILE_MODE } },
  DownwardAPIVolumeSource: { fields: { defaultMode: FILE_MODE, items: { maxItems: 64 } } },
  DownwardAPIVolumeFile: downwardFile,
  KeyToPath: { fields: { key: NOT_EMPTY, path: LOCAL_PATH, mode: FILE_MODE } },
  DownwardAPIProjection: { fields: { items: { maxItems: 32 } } },
  ProjectedVolumeSource: { fields: { defaultMode: FILE_MODE, sources: { maxItems: 32 } } },
  VolumeProjection: {
    fields: { secret: NAMED, configMap: NAMED },
    rules: [
      {
        rule: '[has(self.secret), has(self.configMap), has(self.downwardAPI), has(self.serviceAccountToken), has(self.clusterTrustBundle), has(self.podCertificate)].filter(x, x).size() <= 1',
        message: 'each entry must have only one source; use several entries',
      },
    ],
  },
  ServiceAccountTokenProjection: {
    fields: { path: LOCAL_PATH, expirationSeconds: { minimum: 600, maximum: 2 ** 32 } },
  },
  ClusterTrustBundleProjection: {
    fields: { path: LOCAL_PATH, labelSelector: { fields: { matchLabels: SHORT_KEYS } } },
  },
  PodCertificateProjection: {
    fields: {
      signerName: { pattern: SIGNER, maxLength: 571 },
      keyType: {
        enum: ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'],
      },
      userAnnotations: SHORT_KEYS,
      credentialBundlePath: OPTIONAL_LOCAL_PATH,
      keyPath: OPTIONAL_LOCAL_PATH,
      certificateChainPath: OPTIONAL_LOCAL_PATH,
    },
  },
  ObjectFieldSelector: { fields: { apiVersion: { enum: ['', 'v1'] } } },
  ResourceFieldSelector: {
    fields: {
      resource: { pattern: `^${RESOURCE_FIELDS}$` },
      divisor: { pattern: DIVISORS, minimum: 0, maximum: 1 },
    },
    rules: [
      {
        rule: "!has(self.divisor) || !(type(self.divisor) in [string]) || self.divisor in ['0', '1'] || (self.divisor == '1m') == self.resource.endsWith('.cpu')",
        message: 'divisor must be 1 or 1m for cpu, and 1 or a unit such as 1Mi for other resources',
      },
    ],
  },
};
