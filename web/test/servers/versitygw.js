/** An S3-compatible server (versitygw) on a folder: each folder in it is a bucket. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { find, freePort, serve } from './start.js';

export const credentials = { accessKeyId: 'test-access', secretAccessKey: 'test-secret', service: 's3', region: 'us-east-1' };

/** @param {string} work an empty folder */
export async function versitygw(work) {
  const port = await freePort();
  const [files, sidecar] = [join(work, 'buckets'), join(work, 'sidecar')];
  await mkdir(files, { recursive: true });
  await mkdir(sidecar, { recursive: true });
  const base = `http://127.0.0.1:${port}`;
  const close = await serve([find('versitygw') ?? '', '--quiet', '--port', `127.0.0.1:${port}`,
    'posix', '--sidecar', sidecar, files], base,
  { ROOT_ACCESS_KEY_ID: credentials.accessKeyId, ROOT_SECRET_ACCESS_KEY: credentials.secretAccessKey });
  return { base, close };
}
