/** Text below a heading of the second level, up to the next one; empty if there is none. */
export function sectionOf(markdown: string, title: string): string {
  const [, after = ''] = markdown.split(`\n## ${title}\n`);
  return after.split('\n## ')[0] ?? '';
}

/** Texts of all fenced blocks of one language in a Markdown text, in order. */
export function fencedBlocks(markdown: string, language: string): string[] {
  const blocks = [...markdown.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)];
  return blocks.filter(([, name]) => name === language).map(([, , text = '']) => text);
}

/**
 * Command lines of all fenced blocks of one language in a Markdown text, in order. Comments and empty lines are left
 * out; a line that ends with a backslash is joined with the next line.
 */
export function fencedCommands(markdown: string, language: string): string[] {
  return fencedBlocks(markdown, language)
    .flatMap((text) => text.replaceAll('\\\n', '\\\u0000').split('\n'))
    .map((line) => line.replaceAll('\u0000', '\n').trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
