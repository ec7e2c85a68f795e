/** Readers of kubeconfigs and of the other credentials of a host cluster. */
import { dump } from 'js-yaml';
import { parseHostCredentials } from '../../../src/host-clusters/parse-credentials.ts';
import { readAccess } from '../../../src/member-clusters/estimator-kubeconfig.ts';
import { adminKubeconfig, readClientPair } from '../../../src/pki/kubeconfig.ts';
import { UNTRUSTED } from '../../../src/untrusted/limits.ts';
import type { UntrustedParser } from '../parser.ts';
import { AUTHORITY, CLIENT } from './pairs.ts';

/** Parts of YAML that begin, repeat or nest values. */
export const YAML_TOKENS = [
  '- ',
  '- a\n',
  'a: b\n',
  'a: ',
  '? ',
  '? a\n',
  ': ',
  '{',
  '{a: ',
  '{},',
  '[',
  '[]',
  '[],',
  ',',
  '"',
  "'",
  '"\\x41',
  '|\n',
  '>\n',
  '|\n a\n',
  '&a ',
  '*a ',
  '!!str ',
  '!',
  '%YAML 1.2\n',
  '%a ',
  '---\n',
  '...\n',
  '#',
  '# a\n',
  ' ',
  '\n',
  '\r',
  '\t',
  '<<: ',
  '\u2028',
  '\u0085',
  '~',
  'null',
  '  a:\n',
  '- - - ',
  '? [a]\n: ',
  '0x',
  '1e9',
  '2026-11-21',
];

const KUBECONFIG_TOKENS = [
  'exec: {command: x}',
  'certificate-authority: /x',
  'token: a',
  'server: https://a',
  'name: ',
  'clusters:\n',
  'users:\n',
  'contexts:\n',
  'current-context: ',
  'proxy-url: socks5://a',
  'as: b',
  'client-key-data: ',
  'tls-server-name: ',
  'insecure-skip-tls-verify: true',
];

const admin = adminKubeconfig('https://host.example.com:6443', [AUTHORITY.certificate], CLIENT);
const withToken = dump({
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'a', user: 'u' } }],
  clusters: [{ name: 'a', cluster: { server: 'https://a', 'proxy-url': 'http://p:3128' } }],
  users: [{ name: 'u', user: { token: 'abc' } }],
});

const shared = {
  errors: [],
  seeds: [Buffer.from(admin), Buffer.from(withToken)],
  tokens: [...YAML_TOKENS, ...KUBECONFIG_TOKENS],
  limit: UNTRUSTED.kubeconfig,
};

export const KUBECONFIG_PARSERS: readonly UntrustedParser[] = [
  {
    ...shared,
    name: 'kubeconfig of a host cluster',
    parse: (input) => parseHostCredentials({ kubeconfig: input.toString('utf8') }, undefined),
  },
  {
    ...shared,
    name: 'token and CA of a host cluster',
    seeds: [Buffer.from(AUTHORITY.certificate), Buffer.from('abc.def')],
    tokens: ['-----BEGIN A', '-----BEGIN CERTIFICATE-----\n', 'a', '.', '=', '\n', ' '],
    parse: (input: Buffer): unknown => {
      const text = input.toString('utf8');
      return [
        parseHostCredentials({ token: text, caBundle: AUTHORITY.certificate }, 'https://a'),
        parseHostCredentials({ token: 'a', caBundle: text }, 'https://a'),
        parseHostCredentials({ token: 'a', caBundle: AUTHORITY.certificate }, text),
      ];
    },
  },
  {
    ...shared,
    name: 'kubeconfig of the administrator',
    parse: (input) => readClientPair(input.toString('utf8')),
  },
  {
    ...shared,
    name: 'Secret of an estimator',
    seeds: [
      Buffer.from('{"clusters":[{"cluster":{"server":"https://a","proxy-url":"http://b"}}]}'),
    ],
    tokens: ['{', '[', '{},', '[],', '"a":', '"clusters":', 'null', '"', '\\"', '1', ','],
    parse: (input) =>
      readAccess({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'x' },
        data: { kubeconfig: input.toString('base64'), token: 'YQ==' },
      }),
  },
];
