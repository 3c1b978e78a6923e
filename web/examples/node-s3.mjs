/**
 * A model in an S3-compatible object store, with signed requests, from Node: what a
 * function beside the store would do. Prints its chunks, or a field as JSON.
 *
 *     S3_ENDPOINT=https://s3.eu-central-1.amazonaws.com S3_REGION=eu-central-1 \
 *     AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... node node-s3.mjs BUCKET KEY [FIELD]
 */
import { AwsClient } from 'aws4fetch';
import { open } from 'libcpb';

const { S3_ENDPOINT, S3_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
const [bucket = '', key = '', path] = process.argv.slice(2);

// libcpb retries by itself, and honours Retry-After.
const aws = new AwsClient({
  accessKeyId: String(AWS_ACCESS_KEY_ID),
  secretAccessKey: String(AWS_SECRET_ACCESS_KEY),
  region: S3_REGION ?? 'us-east-1',
  service: 's3',
  retries: 0,
});

const parts = key.split('/');
if (parts.some((part) => part === '.' || part === '..')) throw new Error(`${key}: a URL cannot name such a key`);
const encoded = parts.map(encodeURIComponent).join('/');
const model = await open(`${S3_ENDPOINT}/${bucket}/${encoded}`, {
  // Each request is signed anew: a signature does not expire while a model is read.
  http: { fetch: (url, init) => aws.fetch(url, init) },
});
try {
  if (path === undefined) {
    for (const { index, type, size, position } of model.chunks()) {
      console.log(`${index}\t${type}\t${size}\t${position}`);
    }
  } else {
    const field = await model.field(path);
    console.log(JSON.stringify(await field.json({ omit: 1024 }), null, 2));
  }
  console.error(`${model.transferred.requests} requests, ${model.transferred.bytes} bytes`);
} finally {
  model.close();
}
