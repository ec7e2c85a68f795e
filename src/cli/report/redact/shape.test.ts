import { describe, expect, it } from '@jest/globals';
import {
  commandLine,
  each,
  fields,
  free,
  list,
  map,
  omitted,
  project,
  shown,
  sizes,
} from './shape.ts';

const known = new Set(['known text']);

describe('project', () => {
  it.each([
    ['a field of a shape', { a: 'text' }, fields({ a: shown }), { a: 'text' }, []],
    [
      'no other field',
      { a: 1, b: ['x', { c: 'y' }] },
      fields({ a: shown }),
      { a: 1, b: '(redacted)' },
      ['x', 'y'],
    ],
    [
      'text of the operator',
      ['known text', 'other'],
      list(free),
      ['known text', '(redacted)'],
      ['other'],
    ],
    [
      'numbers and durations',
      ['5443', '30s', '1Gi', 'true', '123456'],
      list(free),
      ['5443', '30s', '1Gi', 'true', '(redacted)'],
      ['123456'],
    ],
    [
      'names of flags',
      ['--a=x=y', '--b', '--v=2', 'plain'],
      commandLine,
      ['--a=(redacted)', '--b', '--v=2', '(redacted)'],
      ['x=y', 'plain'],
    ],
    ['names in a map', { 'a/b': 'x' }, map(free), { 'a/b': '(redacted)' }, ['x']],
    [
      'no key that is not a name',
      { 'no name': '1' },
      map(free),
      { '(redacted) 0': '1' },
      ['no name'],
    ],
    ['other shapes of known keys', { a: 'x' }, map(free, () => shown), { a: 'x' }, []],
    ['sizes of entries', { a: 'four' }, sizes, { a: '4 characters' }, ['four']],
    ['nothing of an omitted value', { a: 'x' }, omitted, '(redacted)', []],
    [
      'no text where an object is expected',
      'text',
      fields(each(shown, 'a')),
      '(redacted)',
      ['text'],
    ],
    ['no object where a list is expected', { a: 'x' }, list(shown), '(redacted)', ['x']],
    [
      'inherited names of objects as unknown fields',
      { constructor: 'x' },
      fields({}),
      { constructor: '(redacted)' },
      ['x'],
    ],
  ])('shows %s', (...[, value, shape, result, hidden]) => {
    expect(project(value, shape, known)).toEqual({ value: result, hidden });
  });
});
