import { AUTHORITIES, LEAVES } from '../inventory.ts';
import type { SecretRole } from '../types.ts';

/** Keys of the pairs that the table of certificates has in a Secret. */
export const storedKeys = (role: SecretRole): readonly string[] =>
  [...AUTHORITIES, ...LEAVES].flatMap(({ stored }) =>
    stored
      .filter(({ secret }) => secret === role)
      .flatMap(({ certificate, key }) => [certificate, key]),
  );
