/** Checks the remedies in messages: a user who follows a remedy must never lose a CA, a key or data. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const folder = join(import.meta.dirname, '../../src');

/** Files of the operator itself. */
const files = globSync('**/*.ts', { cwd: folder }).filter(
  (file) => !/\.test\.ts$|\.fixture\.ts$|__fixtures__|\.d\.ts$/.test(file),
);

/** String and template literals in a source file. A placeholder stays an expression, such as `${names.backup}`. */
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

/** Words for objects that hold a CA, a key or data, or whose removal deletes such an object. */
const PRECIOUS =
  /secret|claim|\bPVCs?\b|volume|authorit|\bCAs?\b|backup|statefulset|etcd|namespace|\bkey\b|certificate|\bcopy\b|\$\{name\}|nameof|nameOf/i;

/** Whether a text appears to tell the user to delete something. */
function proposesDeletion(text: string): boolean {
  if (!/\s/.test(text)) return false;
  if (/\b(delete|destroy|wipe|purge|erase|start anew)\b/i.test(text)) return true;
  return /\b(remove|rename)\b/i.test(text) && PRECIOUS.test(text);
}

/** Texts with such words that delete nothing. The first element says why each pattern is harmless. */
const HARMLESS: readonly (readonly [string, RegExp])[] = [
  ['is about a field of the spec', /spec\.|^`\$\{FIELD\}|crdTarball/],
  ['is about an annotation', /; remove the annotation`$/],
  [
    'is about an annotation, which the operator writes again',
    /\$\{RECORD_ANNOTATION\}|annotation operator\.karmada\.io\/etcd-record/,
  ],
  ['is about what is in a Secret', /kubeconfig of more than/],
  ['names the values of a field', /^must be Retain or Delete$/],
  ['names a permission', /^delete pods$/],
  [
    'keeps the volumes, which the operator has checked',
    /: \$\{keptBy\(members\)\}, and the operator creates the StatefulSet again/,
  ],
  ['is about a backup that was not verified', /before the upgrade: /],
];

const isHarmless = (text: string): boolean => HARMLESS.some(([, pattern]) => pattern.test(text));

describe('messages of the operator', () => {
  it.each([
    'Secret a/b exists and was not made by this operator; rename or delete it',
    '`Secrets ${names.cert} differ until the wrong one of the two is put right, delete it`',
    '`${name} exists; rename it`',
    'remove the claim',
    'restore a copy or start anew',
  ])('are detected when they propose a deletion: %s', (text) => {
    expect(proposesDeletion(text)).toBe(true);
  });

  it('never propose to delete an object that may hold a CA, a key or data', () => {
    const found = files.flatMap((file) =>
      textsIn(readFileSync(join(folder, file), 'utf8'))
        .filter((text) => proposesDeletion(text) && !isHarmless(text))
        .map((text) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });
});
