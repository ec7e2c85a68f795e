/** The only reader of PEM (RFC 7468). It passes the text once, however its blocks begin and end. */
import { PEM_BLOCKS, sizeText, UNTRUSTED } from './limits.ts';

export interface PemBlock {
  /** Such as `CERTIFICATE`. */
  readonly label: string;
  /** The block with its markers and a final newline. */
  readonly text: string;
  /** Position of the block in the text, in characters. */
  readonly start: number;
  readonly end: number;
}

const DASHES = '-----';
const BEGIN = '-----BEGIN ';

/** Any characters of one line except hyphens, as in the PEM reader of Go. */
const LABEL = /^[^-\r\n]{1,64}$/;

/**
 * Returns the complete blocks of a text. Ignores other text, and a block without its end. Returns an empty list for a text
 * above the limits, which `pemFault` explains.
 */
export function pemBlocks(text: string): readonly PemBlock[] {
  return pemFault(text) === undefined ? blocksOf(text) : [];
}

/** Returns the certificates of a text, each in PEM with a final newline. */
export const certificateBlocks = (text: string): readonly string[] =>
  pemBlocks(text).flatMap((block) => (block.label === 'CERTIFICATE' ? [block.text] : []));

/** Limits of a text in PEM. */
export interface PemLimits {
  /** Characters of the text. */
  readonly size: number;
  readonly blocks: number;
  /** Characters of one block; not limited if not set. */
  readonly block?: number;
}

const LIMITS: PemLimits = { size: UNTRUSTED.pem, blocks: PEM_BLOCKS };

/** Returns a clause such as `has more than 256 KiB` if a text exceeds a limit, and undefined otherwise. */
export function pemFault(text: string, limits = LIMITS): string | undefined {
  const { size, blocks, block = size } = limits;
  if (text.length > size) return `has more than ${sizeText(size)}`;
  if (text.split(BEGIN, blocks + 2).length > blocks + 1)
    return `has more than ${blocks} PEM blocks`;
  const isLarge = block < size && blocksOf(text).some((one) => one.text.length > block);
  return isLarge ? `has a PEM block with more than ${sizeText(block)}` : undefined;
}

function blocksOf(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let begin = text.indexOf(BEGIN); begin >= 0;) {
    const { block, next } = readBlock(text, begin);
    if (block !== undefined) blocks.push(block);
    begin = next < 0 ? -1 : text.indexOf(BEGIN, next);
  }
  return blocks;
}

/** Reads the block at `begin`. @returns where to search for the next one; -1 at the end of the text */
function readBlock(
  text: string,
  begin: number,
): { readonly block?: PemBlock; readonly next: number } {
  const labelStart = begin + BEGIN.length;
  const labelEnd = text.indexOf(DASHES, labelStart);
  const label = text.slice(labelStart, Math.max(labelStart, labelEnd));
  if (!LABEL.test(label)) return { next: labelEnd };
  // Base64 and headers contain no five hyphens, so the next ones begin the end of this block, or another block.
  const bodyEnd = text.indexOf(DASHES, labelEnd + DASHES.length);
  const end = `-----END ${label}-----`;
  if (bodyEnd < 0 || !text.startsWith(end, bodyEnd)) return { next: bodyEnd };
  const next = bodyEnd + end.length;
  return { block: { label, text: `${text.slice(begin, next)}\n`, start: begin, end: next }, next };
}
