/** Questions of users, and the sections that answer them: docs/questions.md. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf } from '../../scripts/site/markdown.ts';
import { linkedFiles, sitePath } from '../../scripts/site/pages.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { searchIndex, sectionsOf } from './site-search.ts';

const PAGE = 'docs/questions.md';
const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

interface Question {
  readonly text: string;
  readonly source: string;
  /** Path of the page that answers it, in the repository. */
  readonly page: string;
  /** Anchor of the section; undefined for the whole page. */
  readonly anchor: string | undefined;
}

const ROW = /^\| (.+?) +\| \[[\w-]+#\d+\]\((\S+)\) +\| \[.+\]\((\S+?)\) +\|$/gm;

const questions = [...read(PAGE).matchAll(ROW)].map(
  ([, text = '', source = '', link = '']): Question => {
    const [path = '', anchor] = link.split('#');
    return { text, source, page: normalize(join(dirname(PAGE), path)), anchor };
  },
);

/** Pages of the site, without the list of questions, which its search leaves out. */
function pagesOfSite(): Map<string, string> {
  const command = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', command, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(checkout, file)));
  const pages = new Map(
    files.filter((file) => file.endsWith('.md')).map((file) => [file, read(file)]),
  );
  const shown = linkedFiles({ pages, files: new Set(files), description: '' }).pages;
  return new Map([...pages].filter(([path]) => shown.includes(path) && path !== PAGE));
}

const search = searchIndex(pagesOfSite());
const firstFound = (text: string): readonly string[] => search(text).slice(0, 3);

describe('questions', () => {
  it('are 25, each from an issue of another project', () => {
    expect(questions).toHaveLength(25);
    const sources = questions.map(({ source }) => source);
    expect(new Set(sources).size).toBe(25);
    expect(
      sources.filter(
        (source) => !/^https:\/\/github\.com\/(?:karmada-io|clastix)\/\S+\/\d+$/.test(source),
      ),
    ).toEqual([]);
  });

  it.each(questions)('have an answer that exists: $text', ({ page, anchor }) => {
    expect(existsSync(join(checkout, page))).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(read(page))).toContain(anchor);
  });

  it.each(questions)('find their answer with the search: $text', ({ text, page, anchor }) => {
    const place = `^/${sitePath(page)}#${anchor === undefined ? '' : `${anchor}$`}`;
    expect(firstFound(text)).toContainEqual(expect.stringMatching(new RegExp(place)));
  });
});

describe('questions in the words of users of cert-manager', () => {
  it.each<[string, string]>([
    ['Can I use a cert-manager Issuer or ClusterIssuer?', 'configure/certificates.md#cert-manager'],
    ['How do I set renewBefore of a certificate?', 'configure/certificates.md#cert-manager'],
    ['How do I change the duration of certificates?', 'configure/certificates.md#validity-period'],
    ['How do I trigger a renewal like cmctl renew?', 'configure/certificates.md#cert-manager'],
    ['How do I add dnsNames and ipAddresses?', 'configure/certificates.md#cert-manager'],
    ['How do I rotate the root CA?', 'operate/rotate-ca.md#rotate-the-ca-of-the-control-plane'],
    ['How do I get an alert before expiry?', 'operate/rotate-certificates.md#automatic-renewal'],
    [
      'Is the private key rotated with a renewal?',
      'operate/rotate-certificates.md#automatic-renewal',
    ],
    ['Which key algorithm: RSA or ECDSA?', 'configure/certificates.md#certificates'],
    ['Does a renewal restart Pods?', 'operate/rotate-certificates.md#automatic-renewal'],
    ['Can I sign with an intermediate CA?', 'configure/certificates.md#custom-ca'],
    ['Who injects the caBundle like cainjector?', 'configure/certificates.md#cert-manager'],
    ['Does helm uninstall delete the CRDs?', 'install.md#uninstall'],
    ['How do I upgrade CRDs with Helm?', 'operate/upgrade.md#upgrade-the-crds'],
    ['x509: certificate signed by unknown authority', 'operate/troubleshoot.md#certificates'],
  ])('find their answer with the search: %s', (text, answer) => {
    expect(firstFound(text)).toContain(`/${answer}`);
  });
});

describe('sectionsOf', () => {
  it('has a section for each heading, with the headings above it and the text without marks', () => {
    const page = '# A\none [two](three.md)\n\n```text\n# no heading\n```\n\n## `B`, b\n| c | d |\n';
    expect(sectionsOf('a.md', page)).toEqual([
      { id: 'a.md#a', title: 'A', titles: [], text: expect.stringMatching(/one two\n\n\n# no/) },
      { id: 'a.md#b-b', title: 'B , b', titles: ['A'], text: expect.stringContaining('c   d') },
    ]);
  });
});
