import { describe, expect, it } from '@jest/globals';
import { fencedCommands } from './markdown-commands.ts';

describe('fencedCommands', () => {
  it('returns the command lines of all blocks when they have the requested language', () => {
    const text = [
      '# T',
      '```sh',
      '# why',
      'a b',
      '',
      'c \\',
      '  d',
      '```',
      '```text',
      'no',
      '```',
      '',
    ];
    expect(fencedCommands(text.join('\n'), 'sh')).toEqual(['a b', 'c \\\n  d']);
  });
});
