import { describe, expect, it } from '@jest/globals';
import { withProxyVariables } from './proxy-variables.ts';

const NAMES = 'localhost,127.0.0.1,::1,.svc,.svc.cluster.local';
const PROXY = { name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' };
const FROM = { name: 'NO_PROXY', valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } };

const envOf = (
  env: readonly object[],
  component: 'etcd' | 'karmadaAPIServer' = 'karmadaAPIServer',
) => withProxyVariables({ env: env as never }, component, 'cluster.local').env;

describe('withProxyVariables', () => {
  it.each<[string, readonly object[], readonly object[]]>([
    ['nothing without a proxy', [{ name: 'A' }], [{ name: 'A' }]],
    ['the names of Services', [PROXY], [PROXY, { name: 'NO_PROXY', value: NAMES }]],
    [
      'the names to those of the user, in the same variable',
      [PROXY, { name: 'no_proxy', value: '10.0.0.0/8, .svc' }],
      [
        PROXY,
        { name: 'no_proxy', value: '10.0.0.0/8,.svc,localhost,127.0.0.1,::1,.svc.cluster.local' },
      ],
    ],
    [
      'nothing when no address uses the proxy',
      [{ name: 'NO_PROXY', value: '*' }],
      [{ name: 'NO_PROXY', value: '*' }],
    ],
    ['nothing to a value of another object', [PROXY, FROM], [PROXY, FROM]],
  ])('adds %s', (_, given, expected) => {
    expect(envOf(given)).toEqual(expected);
    expect(envOf(envOf(given) ?? [])).toEqual(expected);
  });

  it('gives etcd no proxy variable', () => {
    const env = [PROXY, FROM, { name: 'http_proxy' }, { name: 'ALL_PROXY' }, { name: 'GODEBUG' }];
    expect(envOf(env, 'etcd')).toEqual([{ name: 'GODEBUG' }]);
  });
});
