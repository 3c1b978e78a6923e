/** An S3-compatible server (versitygw) on a folder: each folder in it is a bucket. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { find, serve } from './start.js';

export const credentials = {
  accessKeyId: 'test-access',
  secretAccessKey: 'test-secret',
  service: 's3',
  region: 'us-east-1',
};

/** @param {string} work an empty folder */
export async function versitygw(work) {
  const [files, sidecar] = [join(work, 'buckets'), join(work, 'sidecar')];
  await mkdir(files, { recursive: true });
  await mkdir(sidecar, { recursive: true });
  const env = { ROOT_ACCESS_KEY_ID: credentials.accessKeyId, ROOT_SECRET_ACCESS_KEY: credentials.secretAccessKey };
  const command = [find('versitygw') ?? '', '--quiet', '--port'];
  return serve((port) => [...command, `127.0.0.1:${port}`, 'posix', '--sidecar', sidecar, files], { env });
}
