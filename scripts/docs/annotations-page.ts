/** Page docs/reference/annotations.md: annotations, labels and the finalizer of the operator. */
import { DOCUMENTED_KEYS, type DocumentedKey } from './annotation-keys.ts';
import { code, escaped, page, table } from './markdown.ts';

function keysSetBy(author: DocumentedKey['setBy']): string {
  const rows = DOCUMENTED_KEYS.filter(({ setBy }) => setBy === author).map(
    ({ key, kind, object, meaning }) => [code(key), kind, escaped(object), escaped(meaning)],
  );
  return table(['Key', 'Kind', 'Object', 'Meaning'], rows);
}

/** Returns the page, not formatted. */
export function annotationsPage(): string {
  return page('Annotations and labels', [
    '## Set by users',
    keysSetBy('user'),
    '## Set by the operator',
    'Do not change these keys, unless their meaning allows it.',
    keysSetBy('operator'),
  ]);
}
