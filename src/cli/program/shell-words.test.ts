import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shellCommand } from './shell-words.ts';

it.each([
  [['kubectl', 'get', 'a.b/c', '--to=x:1'], 'kubectl get a.b/c --to=x:1'],
  [['echo', 'a b', "it's", '$(x)', ''], String.raw`echo 'a b' 'it'\''s' '$(x)' ''`],
])('shellCommand of %j is %s', (words, expected) => {
  expect(shellCommand(words)).toBe(expected);
});

it('shellCommand gives a shell the same words', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab1-_$`"\'\\ \n;&|<>*?~#!(){}[]=ä') });
  const words = fc.sample(word, 200);
  const script = `printf '%s\\0' ${shellCommand(words)}`;
  const seen = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(seen.split('\0').slice(0, -1)).toEqual(words);
});
