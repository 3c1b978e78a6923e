/**
 * An AWS Lambda function with a URL: what is in a model in a bucket, of which it reads a few ranges.
 *
 *     GET /?key=model/saved_model.pb
 *
 * Runtime nodejs20.x or later, which has the SDK; `npm install libcpb` beside this file. MODELS is the
 * bucket's name, and the function's role may `s3:GetObject` there.
 */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CpbError, inspect, s3Source } from 'libcpb';

// What is made here stays between invocations: connections, and compiled modules.
const client = new S3Client({ forcePathStyle: Boolean(process.env.AWS_ENDPOINT_URL_S3) });
const bucket = process.env.MODELS ?? '';

/** @type {Record<string, number>} */
const statuses = { NOT_FOUND: 404, FORMAT: 415, UNSUPPORTED: 415, DAMAGED: 422, TRUNCATED: 422, LIMIT: 413 };

/** @param {{ queryStringParameters?: { key?: string } }} event */
export async function handler({ queryStringParameters: { key } = {} }) {
  if (!key) return answer(400, { error: 'which model? ?key=...' });
  try {
    const source = s3Source({ client, GetObjectCommand, bucket, key });
    const model = await inspect(source, { budget: { requests: 50, bytes: 64 * 2 ** 20 } });
    try {
      return answer(200, { overview: await model.overview(), transferred: model.transferred });
    } finally {
      model.close();
    }
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
    return answer(error.status ?? statuses[error.code] ?? 502, { error: error.message, code: error.code });
  }
}

/** @param {number} statusCode @param {object} body */
const answer = (statusCode, body) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
