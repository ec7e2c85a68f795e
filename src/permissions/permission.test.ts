import { describe, expect, it } from '@jest/globals';
import { isGranted, permissionText, type Permission, type Rule } from './permission.ts';

const PODS: Permission = { verb: 'list', group: '', resource: 'pods' };
const FORWARD: Permission = { verb: 'create', group: '', resource: 'pods/portforward' };
const CRD: Permission = { verb: 'get', group: 'x.io', resource: 'crds', name: 'mine' };

const rule = (verbs: string, apiGroups: string, resources: string, names?: string): Rule => ({
  verbs: verbs.split(','),
  apiGroups: apiGroups.split(','),
  resources: resources.split(','),
  ...(names !== undefined && { resourceNames: names.split(',') }),
});

describe('isGranted', () => {
  it.each<[string, Permission, Rule]>([
    ['verb, group and resource', PODS, rule('get,list', ',apps', 'services,pods')],
    ['all verbs', PODS, rule('*', '', 'pods')],
    ['all groups', PODS, rule('list', '*', 'pods')],
    ['all resources', PODS, rule('list', '', '*')],
    ['all resources, subresources included', FORWARD, rule('create', '', '*')],
    ['the subresource of all resources', FORWARD, rule('create', '', '*/portforward')],
    ['the object by name', CRD, rule('get', 'x.io', 'crds', 'other,mine')],
    ['all objects', CRD, rule('get', 'x.io', 'crds')],
  ])('returns true when a rule grants %s', (_, right, one) => {
    expect(isGranted(right, [rule('get', 'a', 'b'), one])).toBe(true);
  });

  it.each<[string, Permission, Rule]>([
    ['only another verb', PODS, rule('get', '', 'pods')],
    ['only another group', PODS, rule('list', 'apps', 'pods')],
    ['only another resource', PODS, rule('list', '', 'services')],
    ['the resource without the subresource', FORWARD, rule('create', '', 'pods')],
    ['only another object', CRD, rule('get', 'x.io', 'crds', 'other')],
    ['single objects but not the whole list', PODS, rule('list', '', 'pods', 'one')],
    ['only non-resource URLs', PODS, { verbs: ['*'] }],
  ])('returns false when the rules grant %s', (_, right, one) => {
    expect(isGranted(right, [one])).toBe(false);
  });
});

describe('permissionText', () => {
  it.each<[Permission, string]>([
    [PODS, 'list pods'],
    [FORWARD, 'create pods/portforward'],
    [CRD, 'get crds.x.io mine'],
    [{ verb: 'patch', group: 'x.io', resource: 'karmadas/status' }, 'patch karmadas.x.io/status'],
  ])('formats %j as %s', (right, text) => {
    expect(permissionText(right)).toBe(text);
  });
});
