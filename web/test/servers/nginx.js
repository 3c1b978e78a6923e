/** nginx on a folder. /files/ as it is, /gzip/ compressed, /page/ without ranges. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { find, serve } from './start.js';

/** @type {(port: number, files: string, work: string, locations: string[]) => string} */
const config = (port, files, work, locations) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${work}/nginx.pid;
error_log ${work}/error.log;
events {}
http {
  access_log ${work}/access.log;
  client_body_temp_path ${work}/body;
  proxy_temp_path ${work}/proxy;
  fastcgi_temp_path ${work}/fastcgi;
  uwsgi_temp_path ${work}/uwsgi;
  scgi_temp_path ${work}/scgi;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:${port};
    location /files/ { alias ${files}/; }
    location /gzip/ { alias ${files}/; gzip on; gzip_types *; gzip_min_length 1; }
    location /page/ { alias ${files}/; max_ranges 0; }
    location /busy/ { return 503; }
    ${locations.join('\n    ')}
  }
}
`;

/**
 * @param {string} files
 * @param {string} work an empty folder
 * @param {string[]} [locations] more of them
 */
export async function nginx(files, work, locations = []) {
  const path = join(work, 'nginx.conf');
  await mkdir(work, { recursive: true });
  return serve(async (port) => {
    await writeFile(path, config(port, files, work, locations));
    return [find('nginx') ?? '', '-c', path, '-e', join(work, 'error.log')];
  });
}
