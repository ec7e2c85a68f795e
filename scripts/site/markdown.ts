/** The parts of Markdown that links of the site depend on: anchors of headings and targets of links. Pure. */

/** Fenced code blocks and inline code, where brackets are not links. */
const CODE = /^ *```[\s\S]*?^ *```$|`[^`\n]+`/gm;

const LINK = /\]\(([^)\s]+)\)/g;

/**
 * Returns the anchor that GitHub generates for a heading: lower case, dashes for spaces, no punctuation.
 * @param heading text of the heading, with or without the marks of inline code
 */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Returns the HTML of inline code with places at which a line may end: after the separators of a long name. The text that a
 * reader copies stays the same.
 */
export function withLineBreaks(html: string): string {
  return html.replaceAll(/(?<=[\w}])[./_=,:](?=[\w{])/g, '$&<wbr>');
}

/** Returns the HTML of a text with the same places in its long names, such as paths of fields. */
export function withBreakableNames(html: string): string {
  return html.replaceAll(/[\w./]{14,}/g, withLineBreaks);
}

/** Returns the HTML of a heading with places for a line break before the words of a long name, which is wider than a phone. */
export function withBreakableWords(html: string): string {
  return html.replaceAll(/\w{16,}/g, (name) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>'));
}

/** Returns the Markdown of a table header as plain text. */
export function plainTitle(markdown: string): string {
  return markdown.replaceAll(/`|\[([^\]]+)\]\([^)]*\)/g, '$1');
}

/** Returns a text without code. */
export function withoutCode(text: string): string {
  return text.replaceAll(CODE, '');
}

/** Returns the anchors of all headings of a page. */
export function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

/** Returns the targets of all links of a page, in order. */
export function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(LINK)].map(([, target = '']) => target);
}
