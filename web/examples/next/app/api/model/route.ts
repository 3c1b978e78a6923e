/**
 * What a model serves, in Node.
 *
 *     GET /api/model?key=saved_model.cpb
 *
 * MODELS is the URL in front of the key, for instance of a bucket.
 */
import { CpbError, inspect } from 'libcpb';

const statuses: Record<string, number> = { HTTP: 404, FORMAT: 415, UNSUPPORTED: 415, DAMAGED: 422, TRUNCATED: 422 };

export async function GET(request: Request) {
  const key = new URL(request.url).searchParams.get('key');
  if (!key) return Response.json({ error: 'which model? ?key=...' }, { status: 400 });
  try {
    const model = await inspect(process.env.MODELS + encodeURIComponent(key), {
      kind: 'saved_model',
      budget: { requests: 50, bytes: 64 * 2 ** 20 },
      signal: request.signal,
    });
    try {
      const { signatures } = await model.overview();
      return Response.json({ signatures, transferred: model.transferred });
    } finally {
      model.close();
    }
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
    return Response.json({ error: error.message, code: error.code }, { status: statuses[error.code] ?? 502 });
  }
}
