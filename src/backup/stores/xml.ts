/** Reads untrusted XML. Pure. */
import { parseXml, XmlElement } from '@rgrove/parse-xml';

/** The root element; undefined if the text is not well-formed XML. */
export function parsedRoot(text: string): XmlElement | undefined {
  try {
    return parseXml(text).root ?? undefined;
  } catch {
    return undefined;
  }
}

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
