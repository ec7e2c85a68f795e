import { describe, expect, it } from '@jest/globals';
import { checkedList } from './checked-response.ts';
import { resources } from '../objects/resources.ts';

const listOf = (metadata: object): object => ({
  metadata: { resourceVersion: '1' },
  items: [{ metadata }],
});

describe('checkedList', () => {
  it('accepts the list of a kind that is not stored, which has no version', () => {
    const items = [{ metadata: { name: 'scheduler' } }];
    expect(checkedList('list componentstatuses', { metadata: {}, items }, resources.Pod)).toEqual({
      metadata: { resourceVersion: '' },
      items,
    });
  });

  it('accepts the names of all kinds', () => {
    const items = ['system:kube-dns', 'a.b-c', 'v1.apps', 'Any name'].map((name) => ({
      metadata: { name, namespace: '' },
    }));
    expect(checkedList('list', { metadata: {}, items }, resources.Pod).items).toEqual(items);
  });

  it.each([
    ['text', 'x'],
    ['no metadata', { items: [] }],
    ['a version that is no text', { metadata: { resourceVersion: 1 }, items: [] }],
    ['an item whose name leaves its folder', listOf({ name: '../../tmp/evil' })],
    ['an item whose name is a folder', listOf({ name: '..' })],
    ['an item whose name has an encoded character', listOf({ name: 'a%2fb' })],
    ['an item whose namespace leaves its folder', listOf({ name: 'a', namespace: '../b' })],
    ['an item with a long version', listOf({ name: 'a', resourceVersion: '1'.repeat(2_000) })],
    ['an item with a long UID', listOf({ name: 'a', uid: 'u'.repeat(2_000) })],
    ['an item whose generation is no number', listOf({ name: 'a', generation: [{}] })],
    ['an item without a name', { metadata: { resourceVersion: '1' }, items: [{ metadata: {} }] }],
  ])('rejects %s', (_, content) => {
    expect(() => checkedList('list pods', content, resources.Pod)).toThrow(
      'is not a list of Kubernetes objects',
    );
  });
});
