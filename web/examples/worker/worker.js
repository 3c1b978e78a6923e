/**
 * A Worker that answers questions about models in an R2 bucket, by range: of a model
 * of gigabytes it reads the end and what was asked for, within a Worker's memory.
 *
 *     GET /?key=models/big.cpb                         what is in it
 *     GET /?key=models/big.cpb&field=meta_graphs[0]    a field as JSON, without large values
 *
 * The bucket's binding is MODELS (see wrangler.toml).
 */
import { CpbError, bucketSource, open } from 'libcpb';

/** Values of more bytes than this are left out, and the answer says where they are. */
const OMIT = 1024;

/** The limit for one question. */
const budget = { requests: 40, bytes: 64 * 2 ** 20 };

/** HTTP statuses for the visitor's mistakes; all else is the server's. */
const statuses = { NOT_FOUND: 404, USAGE: 400, FORMAT: 415, BUDGET: 413, LIMIT: 413 };

/** The functions that a SavedModel serves, with the names of their inputs and outputs. */
async function signatures(model) {
  if (model.type !== 'tensorflow.SavedModel') return undefined;
  try {
    const all = await (await model.field('meta_graphs[0].signature_def')).json({ omit: OMIT });
    return Object.fromEntries(
      Object.entries(all).map(([name, { inputs = {}, outputs = {} }]) => [
        name,
        { inputs: Object.keys(inputs), outputs: Object.keys(outputs) },
      ]),
    );
  } catch (error) {
    // A model without signatures is not a mistake.
    if (error.code === 'NOT_FOUND') return {};
    throw error;
  }
}

async function overview(model) {
  return {
    kind: model.kind,
    size: model.size,
    type: model.type,
    chunks: [...model.chunks()].map(({ type, size, position }) => ({ type, size, position })),
    signatures: await signatures(model),
  };
}

async function fieldOf(model, path) {
  const field = await model.field(path);
  const { type, typeName, size } = field;
  return { path, type: typeName ?? type, size, value: await field.json({ omit: OMIT }) };
}

async function answer(bucket, key, path) {
  const model = await open(bucketSource(bucket, key), { budget });
  try {
    const found = path === null ? await overview(model) : await fieldOf(model, path);
    return { ...found, transferred: { ...model.transferred } };
  } finally {
    // Memory goes back at once; a Worker has 128 MB for all its requests.
    model.close();
  }
}

export default {
  async fetch(request, env) {
    const query = new URL(request.url).searchParams;
    const key = query.get('key');
    if (!key) return Response.json({ error: 'which model? ?key=...' }, { status: 400 });
    try {
      return Response.json(await answer(env.MODELS, key, query.get('field')));
    } catch (error) {
      if (!(error instanceof CpbError)) throw error;
      const { code, message, status, retryable } = error;
      return Response.json(
        { error: message, code, retryable },
        { status: status === 404 ? 404 : (statuses[code] ?? 502) },
      );
    }
  },
};
