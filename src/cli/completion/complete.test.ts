import { expect, it } from '@jest/globals';
import { Command, Option } from 'commander';
import { complete } from './complete.ts';

const program = new Command('tool')
  .option('-n, --namespace <namespace>', 'namespace')
  .option('--kubeconfig <file>', 'kubeconfig');
program
  .command('status')
  .argument('[name]')
  .option('-w, --watch', 'refresh')
  .addOption(new Option('-o, --output <format>', 'format').choices(['json', 'yaml']));
program.command('list').argument('<name>').argument('[component...]');
program.command('stop').argument('<name>').argument('<component>');

const values = (words: readonly string[]): unknown => {
  const found = complete(program, words);
  return found.kind === 'candidates' ? found.candidates.map(({ value }) => value) : found;
};

it.each<[string[], unknown]>([
  [['st'], ['status', 'stop']],
  [['x'], []],
  [['status', '--w'], ['--watch']],
  [['status', '--na'], ['--namespace']],
  [
    ['status', '-o', ''],
    ['json', 'yaml'],
  ],
  [['status', '--kubeconfig', ''], { kind: 'files' }],
  [
    ['-n', 'team', 'status', ''],
    { kind: 'value', of: 'name', command: 'status', flags: { namespace: 'team' } },
  ],
  [['status', '--watch', ''], { kind: 'value', of: 'name', command: 'status', flags: {} }],
  [
    ['stop', 'demo', '--namespace=a', 'k'],
    { kind: 'value', of: 'component', command: 'stop', flags: { namespace: 'a' } },
  ],
  [['stop', 'demo', 'x', ''], []],
  [['list', 'demo', 'x', 'y', ''], { kind: 'value', of: 'component', command: 'list', flags: {} }],
  [['status', '--', ''], []],
])('complete proposes for %j: %j', (words, expected) => {
  expect(values(words)).toEqual(expected);
});
