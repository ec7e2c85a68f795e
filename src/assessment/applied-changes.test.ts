import { expect, it } from '@jest/globals';
import { karmadaOf, live, wishOf } from '../instance/__fixtures__/instance.ts';
import type { Action } from '../actions/action.ts';
import type { DesiredObject } from '../instance/desired-objects.ts';
import { appliedChanges } from './applied-changes.ts';

const [FIRST] = wishOf().objects as readonly [DesiredObject];
const NAME = `${FIRST.object.kind} team/${FIRST.object.metadata.name}`;

const apply = (hash?: string): Action => ({
  kind: 'apply',
  target: FIRST,
  ...(hash !== undefined && { cached: live({ ...FIRST, hash }) }),
});

const messages = (observedGeneration: number | undefined, action: Action): readonly string[] => {
  const status = { ...(observedGeneration !== undefined && { observedGeneration }) };
  const karmada = { ...karmadaOf(), status };
  return appliedChanges({ karmada }, { actions: [action] }).map(({ message }) => message);
};

it.each([
  ['lists an object that a new generation changes', 1, apply('other'), [`${NAME}: changed`]],
  ['lists an object that a new generation creates', 1, apply(), [`${NAME}: changed`]],
  ['lists an object of the first generation', undefined, apply(), [`${NAME}: changed`]],
  ['ignores an object that a new generation does not change', 1, apply(FIRST.hash), []],
  [
    'ignores a change without a new generation, such as that of an operator upgrade',
    2,
    apply('other'),
    [],
  ],
] as const)('appliedChanges %s', (_, observed, action, expected) => {
  expect(messages(observed, action)).toEqual(expected);
});
