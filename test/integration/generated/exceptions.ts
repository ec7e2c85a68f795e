/** What the CRD accepts and the operator then refuses with words of its own, and why the CRD cannot. */
import type { FieldError } from '../../../src/api/field-error.ts';

interface NamedRefusal {
  readonly field: RegExp;
  readonly message: RegExp;
  readonly why: string;
}

const NAMED_REFUSALS: readonly NamedRefusal[] = [
  {
    field: /\.affinity\./,
    message: /must be |remove it here|set labelSelector/,
    why: 'patterns for labels at 26 places of eleven affinities would make the CRD too large for kubectl apply',
  },
  {
    field: /\.resources(\.(limits|requests)\["|$)/,
    message: /whole number|multiple of|equal to the limit|huge pages need|not be more than/,
    why: 'quantities of any resource cannot be compared within the cost that rules may have',
  },
  {
    field: /\.extraVolumes\[\d+\]\.projected\.sources$/,
    message: /path of several files/,
    why: 'to compare every file with every other costs more than a rule may',
  },
  {
    field: /nnotations$/,
    message: /^Too long: all annotations together have \d+ bytes/,
    why: 'a rule can count characters, but not all bytes within its cost',
  },
  {
    field: /\.annotations\["/,
    message: /remove (it|the annotation)|must be (runtime\/default|a whole number)/,
    why: 'it depends on the containers of the pod; eleven copies would make the CRD too large',
  },
  {
    field: /\.etcd\.external\.secretRef\.name$/,
    message: /is where the operator keeps its copy/,
    why: 'a rule does not see the namespace of an object',
  },
  {
    field: /\.httpSource\.caBundle$/,
    message: /certificates in PEM/,
    why: 'what is in a certificate cannot be seen in CEL',
  },
];

/** The entry of the table that an error of the operator falls under. */
export function namedRefusal({ field, message }: FieldError): NamedRefusal | undefined {
  return NAMED_REFUSALS.find((one) => one.field.test(field) && one.message.test(message));
}

/** Fields that nothing but a refusal can come of, each with a spec that has it. */
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
    message: 'is for livenessProbe and startupProbe',
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
    message: 'finalizers cannot be given',
  },
];
