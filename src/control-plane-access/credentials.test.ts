import { expect, it } from '@jest/globals';
import { adminCredentials } from './credentials.ts';

const SERVER = 'https://karmada:5443';
const VALUES = { 'ca.crt': 'ca', 'karmada.crt': 'certificate', 'karmada.key': 'key' };

const found = (values: Readonly<Record<string, string>> | undefined): unknown =>
  adminCredentials(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'demo-cert' },
      ...(values && {
        data: Object.fromEntries(
          Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        ),
      }),
    },
    SERVER,
  );

it('adminCredentials contains the pair of the operator and the CA', () => {
  const { 'ca.crt': ca, 'karmada.crt': certificate, 'karmada.key': key } = VALUES;
  expect(found({ ...VALUES, 'apiserver.key': 'x' })).toEqual({
    server: SERVER,
    ca,
    certificate,
    key,
  });
});

it.each([
  ['data', undefined],
  ...Object.keys(VALUES).flatMap((key) => [
    [key, Object.fromEntries(Object.entries(VALUES).filter(([one]) => one !== key))] as const,
    [`a value of ${key}`, { ...VALUES, [key]: '' }] as const,
  ]),
] as const)('adminCredentials is undefined without %s', (_, values) => {
  expect(found(values)).toBeUndefined();
});
