/** What a user writes in TypeScript: compiled, not run. */
import { CpbError, bucketSource, cache, check, compose, inspect, open, openRecords, split, urlSource } from 'libcpb';
import type {
  AnswerTypes,
  Answers,
  Chunk,
  Cut,
  Field,
  Message,
  Middleware,
  Model,
  OpenOptions,
  Plan,
  Source,
} from 'libcpb';
import { open as openInline } from 'libcpb/inline';

const mine: Source = {
  read: async (_offset, length) => new Uint8Array(length),
  stat: async () => ({ size: 100 }),
};

const quiet: Middleware = (source) => ({ ...source, name: 'mine' });
const options: OpenOptions = { format: 'cpb', budget: { bytes: 1e6 }, limits: { depth: 50 } };

export async function use(signal: AbortSignal): Promise<number> {
  const message: Message = await open(compose(mine, check(), cache({ bytes: 1e6 }), quiet), options);
  const chunk: Chunk = message.chunk(0);
  const bytes: Uint8Array = await chunk.bytes({ signal });
  const field: Field = await message.field('meta_graphs[0]', { signal });
  const plan: Plan = await message.plan({ field: field.path });
  for await (const element of field.elements()) element.size.toFixed();
  const stream: ReadableStream<Uint8Array> = message.merged({ offset: 10 });
  await stream.cancel();
  const records = await openRecords(urlSource('https://example.com/a', { timeout: 1000 }));
  for await (const { bytes, index } of records) bytes.subarray(index);
  for await (const [first] of records.batches()) first?.bytes.fill(0);
  for await (const item of await openRecords('a', { recover: true })) {
    if ('skipped' in item) item.skipped.reason.toUpperCase();
    else item.bytes.subarray(item.index);
  }
  // @ts-expect-error: a typing mistake is found
  message.chunkk(0);
  // @ts-expect-error: so is an option of the wrong type
  await openInline('https://example.com/a', { trustSizes: 'no' });
  return bytes.length + plan.requests;
}

/** Of a model whose kind is not said, what only some kinds have is looked for. */
export async function look(signal: AbortSignal): Promise<string[]> {
  using model: Model = await inspect('https://example.com/saved_model.pb');
  const overview = await model.ask('overview', { signal });
  if (overview.kind === 'saved_model') overview.objects?.total.toFixed();
  else if (overview.format === 'SameDiff zip') overview.default_tag.toUpperCase();
  const { signatures } = await model.overview();
  const constants = await model.ask('constants');
  constants.problems.map(({ offset, text }) => `${offset ?? 'somewhere'}: ${text}`);
  // @ts-expect-error: nobody has that
  constants.nothing;
  // @ts-expect-error: only some kinds have this
  signatures.items;
  return signatures?.items.map(({ key }) => key) ?? [];
}

/** When it is said, the types are that kind's. */
export async function follow(bytes: Uint8Array): Promise<(string | null)[]> {
  const model = await inspect(bytes, { kind: 'saved_model' });
  const { function: called, graph } = await model.signature('serving_default');
  const answer: AnswerTypes.SignatureAnswer = await model.ask('signature', { name: 'x' });
  const captured = called?.captures.flatMap((c) => (c.kind === 'variable' ? [c.name] : [])) ?? [];
  const types = graph.variables.items.map(({ dtype }) => dtype);
  // @ts-expect-error: a SavedModel has no tags to ask for
  (await model.ask('tag')).tag;
  const zip = await inspect(bytes, { kind: 'samediff_zip' });
  const { tags }: Answers['samediff_zip']['overview'] = await zip.overview();
  return [...captured, ...types, answer.key, ...tags.items.map(({ tag }) => tag)];
}

/** What is cut down is an output, and a source to split. */
export async function shrink(bytes: Uint8Array): Promise<[Blob, Uint8Array]> {
  using model = await inspect(bytes, { kind: 'saved_model' });
  const { consumers } = await model.consumers('x', { function: 'f', count: 1 });
  const taken = consumers.items.flatMap((one) => one.inputs.map(({ output, index }) => output ?? index));
  const cut: Cut = await model.cut(['root.encoder', ...taken.map(String)]);
  cut.report.objects.items.map(({ why }) => why.length);
  // @ts-expect-error: it may not be there
  await cut.kerasMetadata.bytes();
  return [await cut.savedModel.blob(), await split(cut.source).bytes()];
}

export const code = (error: unknown) => (error instanceof CpbError ? error.code.toLowerCase() : undefined);

/** As a Worker's R2 binding has it. */
export const inBucket = (bucket: Parameters<typeof bucketSource>[0]) => bucketSource(bucket, 'key');
