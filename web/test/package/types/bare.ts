/** What a user writes without the types of a platform. */
import { CpbError, inspect, open, type Source } from 'libcpb';

const source: Source = {
  read: async (_offset, length) => new Uint8Array(length),
  stat: async () => ({ size: 100 }),
};

export async function size(path: string): Promise<number> {
  await using message = await open(path, { http: { headers: { Authorization: 'a' }, cache: 'no-store' } });
  const model = await inspect(source, { signal: undefined });
  model.close();
  return message.numChunks;
}

export const isGone = (error: unknown) => error instanceof CpbError && error.code === 'CLOSED';
