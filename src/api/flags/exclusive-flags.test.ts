import { describe, expect, it } from '@jest/globals';
import type { ComponentKey } from '../karmada.ts';
import type { StringMap } from '../settings.ts';
import { compatibleFlags, exclusiveFlags, type TemplateFlag } from './exclusive-flags.ts';

const API_SERVER: readonly TemplateFlag[] = [
  ['authorization-mode', 'Node,RBAC'],
  ['disable-admission-plugins', 'StorageObjectInUseProtection,ServiceAccount'],
  ['enable-admission-plugins', 'NodeRestriction'],
  ['service-account-key-file', '/keys/sa.pub'],
  ['service-account-signing-key-file', '/keys/sa.key'],
];
const MANAGER: readonly TemplateFlag[] = [
  ['cluster-signing-cert-file', '/ca.crt'],
  ['cluster-signing-key-file', '/ca.key'],
];

type Row = readonly [given: StringMap, missing: readonly string[]];

const namesLeftOut = (
  component: ComponentKey,
  flags: readonly TemplateFlag[],
  given: StringMap,
): readonly string[] => {
  const kept = compatibleFlags(component, flags, given).map(([name]) => name);
  return flags.map(([name]) => name).filter((name) => !kept.includes(name));
};

describe('compatibleFlags', () => {
  it.each<Row>([
    [{}, []],
    [{ 'authorization-config': '/etc/authz.yaml' }, ['authorization-mode']],
    [{ 'authorization-webhook-version': 'v1' }, []],
    [{ 'authentication-config': '/etc/authn.yaml' }, []],
    [
      { 'service-account-signing-endpoint': '/run/signer.sock' },
      ['service-account-key-file', 'service-account-signing-key-file'],
    ],
    [
      { 'admission-control': 'NamespaceLifecycle' },
      ['disable-admission-plugins', 'enable-admission-plugins'],
    ],
    [{ 'disable-admission-plugins': 'NodeRestriction' }, ['enable-admission-plugins']],
  ])('leaves the flags of kube-apiserver out that %j excludes', (given, missing) => {
    expect(namesLeftOut('karmadaAPIServer', API_SERVER, given)).toEqual(missing);
  });

  it('leaves the common signing certificate of kube-controller-manager out', () => {
    const given = { 'cluster-signing-kube-apiserver-client-cert-file': '/client-ca.crt' };
    expect(namesLeftOut('kubeControllerManager', MANAGER, given)).toEqual(
      MANAGER.map(([name]) => name),
    );
  });

  it('removes only the admission plugins that the user sets in the other list', () => {
    const given = { 'enable-admission-plugins': 'NodeRestriction,ServiceAccount' };
    expect(compatibleFlags('karmadaAPIServer', API_SERVER, given)).toContainEqual([
      'disable-admission-plugins',
      'StorageObjectInUseProtection',
    ]);
  });

  it('keeps a flag that the user sets too, which exclusiveFlags rejects', () => {
    const given = { 'authorization-config': '/a', 'authorization-mode': 'RBAC' };
    expect(namesLeftOut('karmadaAPIServer', API_SERVER, given)).toEqual([]);
  });
});

describe('exclusiveFlags', () => {
  it.each<readonly [ComponentKey, StringMap, string]>([
    [
      'karmadaAPIServer',
      { 'authorization-config': '/a', 'authorization-mode': 'RBAC' },
      'spec.components.x.extraArgs: Invalid value: "authorization-config": excludes authorization-mode, so the program exits at start; remove one of them',
    ],
    [
      'karmadaAPIServer',
      { 'authentication-config': '/a', 'oidc-issuer-url': 'https://a', 'oidc-client-id': 'b' },
      'spec.components.x.extraArgs: Invalid value: "authentication-config": excludes oidc-issuer-url, oidc-client-id, so the program exits at start; remove one of them',
    ],
    [
      'karmadaAPIServer',
      { 'enable-admission-plugins': 'A,B', 'disable-admission-plugins': 'C, B' },
      'spec.components.x.extraArgs.enable-admission-plugins: Invalid value: "B": is also in disable-admission-plugins, so the program exits at start; remove it from one of them',
    ],
  ])('names the flags of %s that exclude each other', (component, given, text) => {
    const found = exclusiveFlags(component, 'spec.components.x', given);
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual([text]);
  });

  it('accepts flags that the program accepts together', () => {
    expect(
      exclusiveFlags('karmadaAPIServer', '', { 'oidc-issuer-url': 'https://a', v: '4' }),
    ).toEqual([]);
    expect(exclusiveFlags('karmadaWebhook', '', { 'authorization-config': '/a' })).toEqual([]);
  });
});
