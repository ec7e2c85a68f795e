/** All parsers of data that users and other servers control. */
import type { UntrustedParser } from './parser.ts';
import { ARCHIVE_PARSERS } from './parsers/archives.ts';
import { BACKUP_PARSERS } from './parsers/backups.ts';
import { CERTIFICATE_PARSERS } from './parsers/certificates.ts';
import { ETCD_PARSERS } from './parsers/etcd.ts';
import { FIELD_PARSERS } from './parsers/fields.ts';
import { KUBECONFIG_PARSERS } from './parsers/kubeconfigs.ts';
import { RESPONSE_PARSERS } from './parsers/responses.ts';
import { ROTATED_CA_PARSERS } from './parsers/rotated-cas.ts';
import { ROTATION_PARSERS } from './parsers/rotations.ts';

export const PARSERS: readonly UntrustedParser[] = [
  ...CERTIFICATE_PARSERS,
  ...KUBECONFIG_PARSERS,
  ...ARCHIVE_PARSERS,
  ...BACKUP_PARSERS,
  ...ETCD_PARSERS,
  ...RESPONSE_PARSERS,
  ...FIELD_PARSERS,
  ...ROTATION_PARSERS,
  ...ROTATED_CA_PARSERS,
];
