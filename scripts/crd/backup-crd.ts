/** Manifest of a CustomResourceDefinition of backups. */
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { compact, published } from './compact.ts';
import { object, OBJECT_METADATA, text, type Schema } from './schema.ts';

export const GROUP = 'backup.operator.karmada.io';

/** What a CRD of backups is made from. */
export interface BackupKind {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly spec: Schema;
  readonly status?: Schema;
  readonly columns: readonly object[];
  /** Limit of `metadata.name`, for names of objects that are derived from it. */
  readonly longestName: number;
}

/** Manifest of a CRD with one version. */
export interface BackupCrd extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames: readonly string[];
      readonly [field: string]: unknown;
    };
    readonly versions: readonly [
      {
        readonly name: string;
        readonly schema: { readonly openAPIV3Schema: Schema };
        readonly [field: string]: unknown;
      },
    ];
  };
}

export const column = (name: string, jsonPath: string, type = 'string'): object => ({
  ...{ name, type, jsonPath },
});

/** Schema of a kind, with the disclosure of its fields. Its rule limits the name of its objects. */
export function backupSchema({ kind, description, spec, status, longestName }: BackupKind): Schema {
  const schema = object(
    description,
    {
      apiVersion: text(`API group and version: ${GROUP}/v1alpha1.`),
      kind: text(`Kind of the object: ${kind}.`),
      metadata: OBJECT_METADATA,
      spec,
      ...(status !== undefined && { status }),
    },
    {
      required: ['spec'],
      'x-kubernetes-validations': [
        {
          rule: `size(self.metadata.name) <= ${String(longestName)}`,
          message: `metadata.name can have at most ${String(longestName)} characters`,
        },
      ],
    },
  );
  return compact(schema);
}

/** Manifest of one kind. */
export function crdOf(of: BackupKind): BackupCrd {
  const { kind, plural, shortName, columns, status } = of;
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      ...{ group: GROUP, scope: 'Namespaced' },
      names: {
        ...{ kind, listKind: `${kind}List`, plural, singular },
        ...{ shortNames: [shortName], categories: ['karmada-io'] },
      },
      versions: [
        {
          ...{ name: 'v1alpha1', served: true, storage: true },
          ...(status !== undefined && { subresources: { status: {} } }),
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: published(backupSchema(of)) },
        },
      ],
    },
  };
}
