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
  return html.replaceAll(/(?<=\w)[./_=,:](?=\w)/g, '$&<wbr>');
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
