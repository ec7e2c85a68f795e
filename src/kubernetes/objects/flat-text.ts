/**
 * Returns an equal text that shares no memory. V8 keeps a text that was put together as a tree of its parts, and a part of a text keeps
 * the whole text. What lives as long as a control plane, such as a key of a map, is therefore copied.
 */
export const flatText = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
