/**
 * A field of a model, in the Edge runtime, where the module for reading is compiled beforehand.
 *
 *     GET /api/edge?key=saved_model.cpb&field=meta_graphs[0].meta_info_def
 */
import { CpbError, open } from 'libcpb';

export const runtime = 'edge';

const statuses: Record<string, number> = { HTTP: 404, NOT_FOUND: 404, USAGE: 400, FORMAT: 415 };

export async function GET(request: Request) {
  const query = new URL(request.url).searchParams;
  const [key, field] = [query.get('key'), query.get('field')];
  if (!key || !field) return Response.json({ error: 'which model, which field?' }, { status: 400 });
  try {
    const model = await open(process.env.MODELS + encodeURIComponent(key), {
      budget: { requests: 50, bytes: 64 * 2 ** 20 },
    });
    try {
      const value = await (await model.field(field)).json({ omit: 1024 }); // where larger values are, it says
      return Response.json({ value, transferred: model.transferred });
    } finally {
      model.close();
    }
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
    return Response.json({ error: error.message, code: error.code }, { status: statuses[error.code] ?? 502 });
  }
}
