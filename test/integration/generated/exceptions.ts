/** Specs that the CRD accepts and the operator rejects with a message, and why the CRD cannot reject them. */
import type { FieldError } from '../../../src/api/validation/field-error.ts';

interface NamedRefusal {
  readonly field: RegExp;
  readonly message: RegExp;
  readonly why: string;
}

const NAMED_REFUSALS: readonly NamedRefusal[] = [
  {
    field: /\.affinity\.|\.topologySpreadConstraints\[/,
    message: /must be |remove it here|set labelSelector/,
    why: 'label patterns at 26 places of eleven affinities would make the CRD too large for kubectl apply',
  },
  {
    field: /\.resources(\.(limits|requests)\["|$)/,
    message: /an integer|multiple of|equal to the limit|huge pages require|not exceed the limit/,
    why: 'rules cannot compare quantities of all resources within their cost limit',
  },
  {
    field: /\.extraVolumes\[\d+\]\.projected\.sources$/,
    message: /several files have this path/,
    why: 'comparing all pairs of files exceeds the cost limit of a rule',
  },
  {
    field: /nnotations$/,
    message: /^Too long: the annotations have \d+ bytes/,
    why: 'a rule can count characters, but not bytes within its cost limit',
  },
  {
    field: /\.annotations\["/,
    message: /remove (it|the annotation)|must be (runtime\/default|a 32-bit integer)/,
    why: 'it depends on the containers of the Pod, and eleven copies of the rule would make the CRD too large',
  },
  {
    field: /\.etcd\.external\.secretRef\.name$/,
    message: /reserved for the copy that the operator creates/,
    why: 'a rule cannot read the namespace of an object',
  },
  {
    field: /\.httpSource\.caBundle$/,
    message: /PEM certificates/,
    why: 'CEL cannot parse certificates',
  },
];

/** Table entry for an error of the operator; undefined if there is none. */
export function namedRefusal({ field, message }: FieldError): NamedRefusal | undefined {
  return NAMED_REFUSALS.find((one) => one.field.test(field) && one.message.test(message));
}

/** Fields that the API server rejects with any value, each with a spec that sets it. */
export const NEVER_ACCEPTED: readonly {
  readonly paths: RegExp;
  readonly spec: object;
  readonly message: string;
}[] = [
  {
    paths: /\.resources\.claims\[\]/,
    spec: {
      components: { karmadaWebhook: { resources: { claims: [{ name: 'a', request: 'b' }] } } },
    },
    message: 'must have at most 0 items',
  },
  {
    paths: /\.readinessProbe\.terminationGracePeriodSeconds$/,
    spec: {
      components: {
        karmadaAPIServer: {
          sidecarContainers: [
            {
              name: 'a',
              image: 'a',
              readinessProbe: { grpc: { port: 1 }, terminationGracePeriodSeconds: 1 },
            },
          ],
        },
      },
    },
    message: 'is only for livenessProbe and startupProbe',
  },
  {
    paths: /\.ephemeral\.volumeClaimTemplate\.metadata\.finalizers\[\]$/,
    spec: {
      components: {
        karmadaAPIServer: {
          extraVolumes: [
            {
              name: 'a',
              ephemeral: {
                volumeClaimTemplate: {
                  metadata: { finalizers: ['a/b'] },
                  spec: {
                    accessModes: ['ReadWriteOnce'],
                    resources: { requests: { storage: 1 } },
                  },
                },
              },
            },
          ],
        },
      },
    },
    message: 'finalizers are not allowed',
  },
];
