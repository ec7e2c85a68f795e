/**
 * Promotion of a successor CA to the active CA. Two Secrets contain both, so an interruption between their writes leaves them
 * different. Pure functions.
 */
import type { Successor } from './bundle.ts';
import type { Authority } from './types.ts';

/** Makes the successor the active CA, and keeps the private key of the CA that was active. Without a successor, it changes nothing. */
export function withPromotedSuccessor(authority: Authority): Authority {
  const { active, successor, trusted, info } = authority;
  if (successor === undefined || info.successor === undefined) return authority;
  const named = [info.active.sha256, info.successor.sha256];
  const others = info.bundle.filter(({ sha256 }) => !named.includes(sha256));
  return {
    active: successor,
    retired: active,
    trusted: [active.certificate, ...trusted],
    info: {
      active: info.successor,
      retired: info.active,
      bundle: [info.successor, info.active, ...others],
    },
  };
}

/** Adds the private key of the predecessor, if clients still trust it. */
export function withRetired(authority: Authority, retired: Successor | undefined): Authority {
  const { info } = authority;
  if (retired === undefined) return authority;
  const { sha256 } = retired.info;
  const isNamed = sha256 === info.active.sha256 || sha256 === info.successor?.sha256;
  if (isNamed || !trusts(authority, sha256)) return authority;
  return { ...authority, retired: retired.pair, info: { ...info, retired: retired.info } };
}

const trusts = ({ info }: Authority, sha256: string): boolean =>
  info.bundle.some((certificate) => certificate.sha256 === sha256);

/**
 * Joins a CA of the Secret in use with that of the CA backup Secret. If they differ because a promotion was interrupted, the CA
 * in use stays active, and the other one is its successor or predecessor.
 * @returns undefined if the CAs are unrelated, or if there are more private keys than places
 */
export function joinedAuthority(used: Authority, saved: Authority): Authority | undefined {
  const own = used.info.active.sha256;
  const { active, successor, retired } = saved.info;
  if (own === active.sha256) return used;
  const isThird = [successor, retired].some((one) => one !== undefined && one.sha256 !== own);
  const areRelated = trusts(used, active.sha256) && trusts(saved, own);
  const other = { pair: saved.active, info: active };
  if (successor?.sha256 === own) return isThird ? undefined : withRetired(used, other);
  if (isThird || !areRelated) return undefined;
  return used.info.successor?.sha256 === active.sha256 ? used : withSuccessorOf(used, other);
}

/** Makes a trusted CA with a private key the successor. */
function withSuccessorOf(authority: Authority, { pair, info: successor }: Successor): Authority {
  const { active, trusted, info } = authority;
  // All certificates of the bundle but the active one, in the same order as `trusted`, because there was no successor.
  const [own = info.active, ...others] = info.bundle;
  const isOther = (index: number): boolean => others[index]?.sha256 !== successor.sha256;
  return {
    active,
    successor: pair,
    trusted: trusted.filter((_, index) => isOther(index)),
    info: {
      active: info.active,
      successor,
      bundle: [own, successor, ...others.filter((_, index) => isOther(index))],
    },
  };
}
