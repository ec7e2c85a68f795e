import { describe, expect, it } from '@jest/globals';
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { SecretData, SecretRole } from '../../pki/types.ts';
import { dueSecrets, foundSecrets } from './write-secrets.ts';

const PAIR = { 'ca.crt': 'Y2VydA==', 'ca.key': 'a2V5' };
const RETIRED = { ...PAIR, 'ca-retired.key': 'b2xk' };

type Writer = readonly [manager: string, operation: string];

interface Case {
  readonly role: SecretRole;
  /** Absent if not set. */
  readonly live?: SecretData;
  readonly writers?: readonly Writer[];
  readonly data: SecretData;
  readonly isDue: boolean;
}

/** A stored Secret. @param writers whose fields are all values: manager and operation */
function stored(role: SecretRole, data: SecretData, writers: readonly Writer[]): KubernetesObject {
  const fields = Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}]));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: instanceName('demo', role),
      labels: {
        'app.kubernetes.io/instance': 'demo',
        'app.kubernetes.io/managed-by': 'karmada-operator',
      },
      managedFields: writers.map(([manager, operation]) => ({
        manager,
        operation,
        fieldsV1: { 'f:data': { '.': {}, ...fields } },
      })),
    },
    data,
  };
}

const OWN: readonly Writer[] = [[FIELD_MANAGER, 'Apply']];

describe('dueSecrets', () => {
  const cases: readonly (readonly [string, Case])[] = [
    ['writes a Secret that is absent', { role: 'cert', data: PAIR, isDue: true }],
    ['keeps a Secret as it is wanted', { role: 'cert', live: PAIR, data: PAIR, isDue: false }],
    ['writes a missing key', { role: 'cert', live: PAIR, data: RETIRED, isDue: true }],
    [
      'removes a private key of the backup that is no longer wanted',
      { role: 'ca-backup', live: RETIRED, data: PAIR, isDue: true },
    ],
    [
      'removes it when the backup was created and never applied',
      {
        role: 'ca-backup',
        live: RETIRED,
        writers: [[FIELD_MANAGER, 'Update']],
        data: PAIR,
        isDue: true,
      },
    ],
    [
      'keeps a key of another client in the backup',
      {
        role: 'ca-backup',
        live: RETIRED,
        writers: [['kubectl', 'Update']],
        data: PAIR,
        isDue: false,
      },
    ],
    [
      'keeps a key of the backup whose owner is unknown',
      { role: 'ca-backup', live: RETIRED, writers: [], data: PAIR, isDue: false },
    ],
    [
      'keeps a key that Pods with an earlier template may mount',
      { role: 'cert', live: RETIRED, data: PAIR, isDue: false },
    ],
  ];

  it.each(cases)('%s', (_case, { role, live, writers = OWN, data, isDue }) => {
    const name = instanceName('demo', role);
    const secrets = live === undefined ? [] : [stored(role, live, writers)];
    const byName = new Map(secrets.map((secret) => [name, secret]));
    const found = foundSecrets([[role, name]], byName, 'demo');
    const due = dueSecrets([{ role, name, data, mode: 'apply' }], found);
    expect(due.map((secret) => secret.role)).toEqual(isDue ? [role] : []);
  });
});
