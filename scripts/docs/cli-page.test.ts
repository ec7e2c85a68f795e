import { describe, expect, it } from '@jest/globals';
import { DEFAULT_KARMADA_TAG } from '../../src/api/images.ts';
import { cliPage } from './cli-page.ts';

describe('cliPage', () => {
  it('has the choices and the default of an argument and of a flag', () => {
    const page = cliPage();
    expect(page).toContain('| `<shell>` | shell: `bash` or `fish` or `zsh` |');
    expect(page).toContain(`| \`[version]\` | Karmada release | \`${DEFAULT_KARMADA_TAG}\` |`);
    expect(page).toContain('output format for programs: `json` or `yaml`');
  });
});
