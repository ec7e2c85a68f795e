/** Reads untrusted XML. Pure. */
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { UNTRUSTED, XML_PARTS } from '../../untrusted/limits.ts';

/** The root element; undefined if the text is not well-formed XML, or above the limits. */
export function parsedRoot(text: string): XmlElement | undefined {
  if (text.length > UNTRUSTED.xml || partsIn(text) > XML_PARTS) return undefined;
  try {
    return parseXml(text).root ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns about the number of tags and attributes, which need much more memory than their text. */
function partsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const found = text.charCodeAt(at);
    if (found === TAG || found === ATTRIBUTE) count += 1;
  }
  return count;
}

const TAG = '<'.charCodeAt(0);
const ATTRIBUTE = '='.charCodeAt(0);

/** Child elements with a name. */
export const elementsIn = (parent: XmlElement, name: string): readonly XmlElement[] =>
  parent.children.filter(
    (child): child is XmlElement => child instanceof XmlElement && child.name === name,
  );

/** Text of the first child with a name. */
export const textIn = (parent: XmlElement, name: string): string | undefined =>
  elementsIn(parent, name)[0]?.text;

/** Error code of a response. A code is a word; anything else is not repeated in messages. */
export const codeOf = (text: string | undefined): string =>
  text !== undefined && /^[A-Za-z0-9.]{1,64}$/.test(text) ? text : 'Unknown';

/** Text at the end of a path of child elements. */
export const descendantText = (root: XmlElement, path: readonly string[]): string | undefined =>
  path.reduce<XmlElement | undefined>(
    (element, name) => element && elementsIn(element, name)[0],
    root,
  )?.text;
