/** What the Secrets contain in each phase of a rotation, and the writes that lead there, in their order: pure. */
import type { AuthorityFacts } from './facts.ts';
import type { Rotation } from './record.ts';
import type { Content, RotationWrite } from './step.ts';

/**
 * Returns the content of a phase. In each change from one phase to the next, whatever signs in one of them is trusted
 * in both, so that Pods with the former content and Pods with the new one trust each other.
 */
export function contentOf({ phase, from, to, next }: Rotation): Content {
  if (phase === 'Preparing') return { signer: from, bundle: [from, to] };
  const other = phase === 'Completing' ? next : from;
  return { signer: to, bundle: other === undefined ? [to] : [to, other] };
}

/** Whether a Secret differs from the content, also in what it trusts in addition. */
function differs(facts: AuthorityFacts['secrets'][number], content: Content): boolean {
  const { signer, bundle } = facts;
  if (signer !== content.signer) return true;
  if (bundle === undefined) return false;
  const isTrusted = content.bundle.every((root) => bundle.includes(root));
  return !isTrusted || bundle.length !== content.bundle.length;
}

/** Returns the writes that lead to the content of the phase; empty if there is nothing to write. */
export function writesOf(rotation: Rotation, facts: AuthorityFacts): readonly RotationWrite[] {
  const content = contentOf(rotation);
  const secrets = facts.secrets
    .filter((secret) => differs(secret, content))
    .map(({ name }): RotationWrite => ({ kind: 'secret', name, content }));
  // Both keys are in the CA backup Secret from the beginning. Its active one changes last, so that a crash leaves a
  // state that the record explains.
  return [
    ...preparation(rotation, facts),
    ...secrets,
    ...activation(content, facts),
    ...succession(rotation, facts),
  ];
}

function preparation(rotation: Rotation, facts: AuthorityFacts): readonly RotationWrite[] {
  const { phase, from, to, returns } = rotation;
  const { name, crossSigned, probes } = facts.backup;
  // API servers list the keys that they accept, so that no token of the former one is needed.
  const isKey = facts.authority === 'service-account-key';
  if (phase !== 'Preparing' || returns || isKey) return [];
  // Only agents have copies of a CA, and only of this one.
  const isCopied = facts.authority === 'ca';
  const isSigned =
    !isCopied ||
    keyStateOf(rotation, facts) === 'awaited' ||
    crossSigned.some(({ root, by }) => root === to && by === from);
  return probes.includes(from) && isSigned && keyStateOf(rotation, facts) !== 'provided'
    ? []
    : [{ kind: 'prepareBackup', name, root: to, by: from }];
}

/**
 * Where the private key of the new root is: in the CA backup Secret; only in the Secret of the custom CA, from which the operator copies it
 * before anything depends on it; or nowhere, because the user has provided only the certificate yet.
 */
export function keyStateOf(
  { to, custom }: Rotation,
  { backup, custom: given }: Pick<AuthorityFacts, 'backup' | 'custom'>,
): 'stored' | 'provided' | 'awaited' {
  if (custom !== true || backup.keys.includes(to)) return 'stored';
  return given?.keys.includes(to) ? 'provided' : 'awaited';
}

const activation = (
  { signer }: Content,
  { backup: { name, active } }: AuthorityFacts,
): readonly RotationWrite[] =>
  active === signer ? [] : [{ kind: 'activateInBackup', name, root: signer }];

/** From the overlap on, the key of the former root is gone before another root exists. */
function succession(
  { phase, from, to, custom }: Rotation,
  facts: AuthorityFacts,
): readonly RotationWrite[] {
  const { name, keys, successor } = facts.backup;
  if (phase === 'Preparing' || phase === 'Switching') return [];
  const hasSuccessor =
    custom === true || (successor !== undefined && ![from, to].includes(successor.sha256));
  return [
    ...(keys.includes(from) ? [{ kind: 'forgetKey' as const, name, root: from }] : []),
    ...(hasSuccessor ? [] : [{ kind: 'createSuccessor' as const, name }]),
  ];
}
