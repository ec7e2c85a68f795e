/** What messages propose: who follows one must never lose an authority, a key or data by it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const folder = import.meta.dirname;

/** Files of the operator itself. */
const files = globSync('**/*.ts', { cwd: folder }).filter(
  (file) => !/\.test\.ts$|\.fixture\.ts$|__fixtures__|\.d\.ts$/.test(file),
);

/** Texts in a file; what is put into them is given by its expression, as `${names.backup}`. */
function textsIn(source: string): readonly string[] {
  const parsed = ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node)) texts.push(node.getText());
    else if (ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return texts;
}

/** What holds an authority, a key or data, and what takes such a thing with it. */
const PRECIOUS =
  /secret|claim|volume|authorit|backup|statefulset|etcd|namespace|\bkey\b|certificate|\bcopy\b|\$\{name\}|nameof|nameOf/i;

/** Whether a text tells its reader to delete something, as far as words show it. */
function proposesDeletion(text: string): boolean {
  if (!/\s/.test(text)) return false;
  if (/\b(delete|destroy|wipe|purge|erase|start anew)\b/i.test(text)) return true;
  return /\b(remove|rename)\b/i.test(text) && PRECIOUS.test(text);
}

/** Texts with such words that take nothing away; each with what it is about. */
const HARMLESS: readonly (readonly [string, RegExp])[] = [
  ['is about a field of the spec', /spec\.|^`\$\{FIELD\}|crdTarball/],
  ['is about what is in a Secret', /kubeconfig of more than/],
  ['names the values of a field', /^must be Retain or Delete$/],
];

const isHarmless = (text: string): boolean => HARMLESS.some(([, pattern]) => pattern.test(text));

describe('messages of the operator', () => {
  it.each([
    'Secret a/b exists and was not made by this operator; rename or delete it',
    '`Secrets ${names.cert} differ until the wrong one of the two is put right, delete it`',
    '`${name} exists; rename it`',
    'remove the claim',
    'restore a copy or start anew',
  ])('would be found if they proposed a deletion: %s', (text) => {
    expect(proposesDeletion(text)).toBe(true);
  });

  it('never propose to delete what may hold an authority, a key or data', () => {
    const found = files.flatMap((file) =>
      textsIn(readFileSync(join(folder, file), 'utf8'))
        .filter((text) => proposesDeletion(text) && !isHarmless(text))
        .map((text) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });
});
