/** What a user writes in TypeScript: compiled, not run. */
import { CpbError, bucketSource, cache, check, compose, open, openRecords, urlSource } from 'libcpb';
import type { Chunk, Field, Message, Middleware, OpenOptions, Plan, Source } from 'libcpb';
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
  for await (const item of records) {
    if ('skipped' in item) item.skipped.reason.toUpperCase();
    else item.bytes.subarray(item.index);
  }
  // @ts-expect-error: a typing mistake is found
  message.chunkk(0);
  // @ts-expect-error: so is an option of the wrong type
  await openInline('https://example.com/a', { trustSizes: 'no' });
  return bytes.length + plan.requests;
}

export const code = (error: unknown) =>
  error instanceof CpbError ? error.code.toLowerCase() : undefined;

/** As a Worker's R2 binding has it. */
export const inBucket = (bucket: Parameters<typeof bucketSource>[0]) => bucketSource(bucket, 'key');
