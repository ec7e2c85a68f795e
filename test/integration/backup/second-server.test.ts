/**
 * Backups in the S3 server of rclone, which is another implementation of the protocol.
 *
 * @tier all
 */
import { afterAll, beforeAll } from '@jest/globals';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { startS3Server, type S3Server } from '../../harness/servers/s3-server.ts';
import { describeStore, tools, unfinishedUploads } from './store-cases.ts';

let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3Server('rclone');
}, 600_000);

afterAll(() => s3.close());

describeStore('S3 of rclone', {
  create: () => createS3Store(s3.settings, tools),
  unfinished: (key) => unfinishedUploads(s3.settings, key),
});
