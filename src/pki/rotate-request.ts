/**
 * Annotation of a Karmada that requests new certificates, CAs or keys: pure. The value names what is replaced, and has an
 * ID, so that a copied or repeated annotation does nothing: each value is executed once.
 */
import { AUTHORITIES, LEAVES } from './inventory.ts';
import type { AuthorityName, LeafName } from './types.ts';

/** Names joined by `,`, then `/` and an ID that was not used before: `leaves/1`, `apiserver,etcd-peer/2`, `etcd-ca,ca/3`. */
export const ROTATE_ANNOTATION = 'operator.karmada.io/rotate';

/** Name of all leaf certificates in a value. */
export const ALL_LEAVES = 'leaves';

/** Maximum length of a value. */
export const MAX_ROTATE_LENGTH = 153;

/** What a value names. */
type RotateTargets =
  | { readonly leaves: readonly LeafName[] | typeof ALL_LEAVES }
  | { readonly authorities: readonly (AuthorityName | 'service-account-key')[] };

/** Why a value is not valid: a clause that follows the name of the annotation. */
interface RotateFault {
  readonly fault: string;
  /** Whether it names a CA or a key: the rotation of these then reports it, not the reissue of certificates. */
  readonly isOfAuthority: boolean;
}

/** ID that makes a value unique. */
export const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const AUTHORITY_NAMES = ['service-account-key', ...AUTHORITIES.map(({ name }) => name)] as const;
const LEAF_NAMES = LEAVES.map(({ name }) => name);

/** Characters of a name that a message quotes. */
const QUOTED = 64;

/** Parses a value. Names that the control plane does not have are valid here. */
export function parseRotate(value: string): RotateTargets | RotateFault {
  const [list = '', ...ids] = value.split('/');
  const names = list.split(',');
  const targets = formFault(value, ids) ?? targetsOf(names);
  if (typeof targets !== 'string') return targets;
  const isOfAuthority = names.some((name) => AUTHORITY_NAMES.some((one) => one === name));
  return { fault: targets, isOfAuthority };
}

function formFault({ length }: string, [id, ...others]: readonly string[]): string | undefined {
  if (length > MAX_ROTATE_LENGTH)
    return `the value is longer than ${String(MAX_ROTATE_LENGTH)} characters`;
  if (id === undefined || others.length > 0 || !REQUEST_ID.test(id))
    return 'the value is not names joined by commas, "/" and an ID of up to 63 letters, digits, ".", "_" and "-", such as leaves/1';
  return undefined;
}

/** @returns the targets, or why the names are not valid */
function targetsOf(names: readonly string[]): RotateTargets | string {
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined)
    return `${JSON.stringify(unknown.slice(0, QUOTED))} is none of ${[ALL_LEAVES, ...AUTHORITY_NAMES].join(', ')}, and no certificate; "kubectl karmada-operator certificates" lists the names`;
  if (new Set(names).size < names.length) return 'the value has a name twice';
  const authorities = AUTHORITY_NAMES.filter((name) => names.includes(name));
  if (authorities.length === names.length) return { authorities };
  if (authorities.length > 0)
    return 'the value has names of CAs or keys together with those of certificates; request one after the other';
  if (!names.includes(ALL_LEAVES))
    return { leaves: LEAF_NAMES.filter((name) => names.includes(name)) };
  return names.length === 1
    ? { leaves: ALL_LEAVES }
    : `the value has other names besides ${ALL_LEAVES}, which are all certificates`;
}

const isKnown = (name: string): boolean =>
  [ALL_LEAVES, ...AUTHORITY_NAMES, ...LEAF_NAMES].some((one) => one === name);
