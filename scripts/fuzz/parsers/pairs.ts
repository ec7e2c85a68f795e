/** Certificates of the seeds. They are new in each run, since no parser verifies who issued them. */
import { randomBytes } from 'node:crypto';
import { makeKey } from '../../../src/pki/keys.ts';
import { selfSigned, signedBy } from '../../../src/pki/x509.ts';

const context = { now: new Date('2026-11-20T12:00:00Z'), random: randomBytes };

export const AUTHORITY = await selfSigned('CA', await makeKey('ec-p256'), context);

export const CLIENT = await signedBy(
  AUTHORITY,
  {
    subject: { commonName: 'client', organization: 'system:masters' },
    validityDays: 30,
    leaf: { usages: ['clientAuth'], dns: ['etcd.example.com'], ips: ['10.0.0.1', '::1'] },
  },
  await makeKey('rsa-2048'),
  context,
);
