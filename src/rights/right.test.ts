import { describe, expect, it } from '@jest/globals';
import { isGranted, rightText, type Right, type Rule } from './right.ts';

const PODS: Right = { verb: 'list', group: '', resource: 'pods' };
const FORWARD: Right = { verb: 'create', group: '', resource: 'pods/portforward' };
const CRD: Right = { verb: 'get', group: 'x.io', resource: 'crds', name: 'mine' };

const rule = (verbs: string, apiGroups: string, resources: string, names?: string): Rule => ({
  ...{ verbs: verbs.split(','), apiGroups: apiGroups.split(','), resources: resources.split(',') },
  ...(names !== undefined && { resourceNames: names.split(',') }),
});

describe('isGranted', () => {
  it.each<[string, Right, Rule]>([
    ['names all of it', PODS, rule('get,list', ',apps', 'services,pods')],
    ['has any verb', PODS, rule('*', '', 'pods')],
    ['has any group', PODS, rule('list', '*', 'pods')],
    ['has any resource', PODS, rule('list', '', '*')],
    ['has any resource, and the right is for a subresource', FORWARD, rule('create', '', '*')],
    ['has that subresource of any resource', FORWARD, rule('create', '', '*/portforward')],
    ['names the object', CRD, rule('get', 'x.io', 'crds', 'other,mine')],
    ['names no object', CRD, rule('get', 'x.io', 'crds')],
  ])('is true when a rule %s', (_, right, one) => {
    expect(isGranted(right, [rule('get', 'a', 'b'), one])).toBe(true);
  });

  it.each<[string, Right, Rule]>([
    ['another verb', PODS, rule('get', '', 'pods')],
    ['another group', PODS, rule('list', 'apps', 'pods')],
    ['another resource', PODS, rule('list', '', 'services')],
    ['the resource without its subresource', FORWARD, rule('create', '', 'pods')],
    ['another object', CRD, rule('get', 'x.io', 'crds', 'other')],
    ['single objects only', PODS, rule('list', '', 'pods', 'one')],
    ['paths', PODS, { verbs: ['*'] }],
  ])('is false when the rules have %s', (_, right, one) => {
    expect(isGranted(right, [one])).toBe(false);
  });
});

describe('rightText', () => {
  it.each<[Right, string]>([
    [PODS, 'list pods'],
    [FORWARD, 'create pods/portforward'],
    [CRD, 'get crds.x.io mine'],
    [{ verb: 'patch', group: 'x.io', resource: 'karmadas/status' }, 'patch karmadas.x.io/status'],
  ])('names %j as %s', (right, text) => {
    expect(rightText(right)).toBe(text);
  });
});
