/** Which CAs get a successor, and which have lost theirs. Pure functions on public information. */
import { instanceName } from '../api/naming.ts';
import { wantedAuthorities } from './inventory.ts';
import type { AuthorityInfo } from './public-info.ts';
import { successorLocation } from './spare-locations.ts';
import type { CertificateSetInfo } from './set-info.ts';
import type { AuthorityName, PkiInputs } from './types.ts';

interface Named {
  readonly name: AuthorityName;
  readonly authority: AuthorityInfo;
}

/** Returns the CAs of the operator without a successor. A custom CA gets none, because only the user can replace it. */
const withoutSuccessor = (inputs: PkiInputs, info: CertificateSetInfo): readonly Named[] =>
  wantedAuthorities(inputs)
    .filter(({ name }) => !(name === 'ca' && inputs.customAuthority))
    .flatMap(({ name }) => {
      const authority = info.authorities[name];
      return authority === undefined || (authority.successor ?? authority.unpublished) !== undefined
        ? []
        : [{ name, authority }];
    });

/** Whether clients trust a CA besides the active one: its successor without a private key, or its predecessor. */
const trustsAnother = ({ authority }: Named): boolean => authority.bundle.length > 1;

/**
 * Returns the CAs that get a successor now: those that are trusted alone. If clients trust another CA already, a further one
 * would restart all components only for a key that was lost, or in the middle of a rotation.
 */
export const missingSuccessors = (
  inputs: PkiInputs,
  info: CertificateSetInfo,
): readonly AuthorityName[] =>
  withoutSuccessor(inputs, info)
    .filter((one) => !trustsAnother(one))
    .map(({ name }) => name);

/** Returns one message per CA whose successor has no private key. */
export const lostSuccessors = (inputs: PkiInputs, info: CertificateSetInfo): readonly string[] =>
  withoutSuccessor(inputs, info)
    .filter((one) => trustsAnother(one) && one.authority.retired === undefined)
    .map(({ name }) => {
      const { secret, certificate, key } = successorLocation(name);
      return `CA ${name}: clients trust a second CA whose private key is missing; restore ${certificate} and ${key} from a backup of Secret ${instanceName(inputs.name, secret)}`;
    });
