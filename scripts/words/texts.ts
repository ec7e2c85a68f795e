/** Extracts the texts that users read from files. Other characters become spaces, so that offsets stay. */
import ts from 'typescript';

/** Spaces in the place of all characters but line breaks. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** Returns prose of a Markdown file: without code, link targets and comments. */
export function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, blank)
    .replaceAll(/(?<=\])\([^)\n]*\)/g, blank);
}

/** Returns comments of a YAML file, with spaces in the place of their `#`. */
export function commentsOf(yaml: string): string {
  const comment = /^( *)#(.*)$/;
  const lines = yaml.split('\n').map((line) => {
    const [, indent, text] = comment.exec(line) ?? [];
    return text === undefined ? blank(line) : `${indent ?? ''} ${text}`;
  });
  return lines.join('\n').replaceAll(/`[^`\n]*`/g, blank);
}

/** Returns texts of a TypeScript file: its string and template literals with a space, without code in them. */
export function literalsOf(source: string): string {
  const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, true);
  const ranges: (readonly [number, number])[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (isText(node) && node.text.includes(' ')) ranges.push([node.getStart(), node.end]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const kept = ranges.reduce(
    ({ text, end }, [from, to]) => ({
      text: `${text}${blank(source.slice(end, from))}${source.slice(from, to)}`,
      end: to,
    }),
    { text: '', end: 0 },
  );
  return kept.text.replaceAll(/\\n/g, '  ');
}

type TextNode = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail;

const isText = (node: ts.Node): node is TextNode =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddle(node) ||
  ts.isTemplateTail(node);
