import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

const styles = await readFile(join(checkout, 'site/.vitepress/theme/style.css'), 'utf8');

describe('style sheet of the site', () => {
  // `anywhere` reduces the minimum width of a column to one character, so that a browser breaks names for a wider neighbor.
  it('never breaks words of a table for the sake of another column', () => {
    const [wide = '', phone = ''] = styles.split('@media (max-width: 640px)');
    expect(phone).toContain('display: block');
    expect(wide).not.toMatch(/overflow-wrap: anywhere|word-break: break-all/);
    expect(wide).toMatch(/td code \{\s+overflow-wrap: break-word;/);
  });
});
