import { describe, expect, it } from '@jest/globals';
import { fencedCommands } from './fenced.ts';

describe('commands of a document', () => {
  it('are the lines of the blocks of one language', () => {
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
