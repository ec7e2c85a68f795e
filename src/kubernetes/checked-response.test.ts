import { describe, expect, it } from '@jest/globals';
import { checkedList } from './checked-response.ts';

describe('checkedList', () => {
  it('accepts the list of a kind that is not stored, which has no version', () => {
    const items = [{ metadata: { name: 'scheduler' } }];
    expect(checkedList('list componentstatuses', { metadata: {}, items })).toEqual({
      metadata: { resourceVersion: '' },
      items,
    });
  });

  it.each([
    ['text', 'x'],
    ['no metadata', { items: [] }],
    ['a version that is no text', { metadata: { resourceVersion: 1 }, items: [] }],
    ['an item without a name', { metadata: { resourceVersion: '1' }, items: [{ metadata: {} }] }],
  ])('rejects %s', (_, content) => {
    expect(() => checkedList('list pods', content)).toThrow('is not a list of Kubernetes objects');
  });
});
