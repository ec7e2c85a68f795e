import { describe, expect, it } from '@jest/globals';
import { fieldMatcher, labelMatcher, selectsLabels } from './selectors.ts';

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace: 'a', labels: { app: 'one', tier: 'web' } },
  status: { phase: 'Running' },
};

describe('labelMatcher', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['app=one', true],
    ['app==one', true],
    ['app=two', false],
    ['app!=two', true],
    ['app!=one', false],
    ['other!=one', true],
    ['app in (two,one)', true],
    ['app in (two)', false],
    ['app notin (two)', true],
    ['app notin (one,two)', false],
    ['tier', true],
    ['other', false],
    ['!other', true],
    ['!tier', false],
    ['app in (two,one),tier=web', true],
    ['app=one,tier=db', false],
  ])('the selector %s matches: %s', (selector, expected) => {
    expect(labelMatcher(selector)(object)).toBe(expected);
  });
});

describe('fieldMatcher', () => {
  it.each([
    ['metadata.name=x', true],
    ['metadata.name=y', false],
    ['status.phase!=Running', false],
    ['spec.nodeName=', true],
    ['metadata.name=x,status.phase=Running', true],
  ])('the selector %s matches: %s', (selector, expected) => {
    expect(fieldMatcher(selector)(object)).toBe(expected);
  });
});

it('selectsLabels selects nothing without a selector', () => {
  expect(selectsLabels(undefined, { a: 'b' })).toBe(false);
  expect(selectsLabels({}, { a: 'b' })).toBe(false);
  expect(selectsLabels({ a: 'b' }, { a: 'b', c: 'd' })).toBe(true);
  expect(selectsLabels({ a: 'c' }, { a: 'b' })).toBe(false);
});
