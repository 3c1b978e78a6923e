/**
 * @param {(url: string) => Promise<import('libcpb').Message>} open
 */
export async function told(open) {
  const query = new URLSearchParams(location.search);
  const report = await overview(open, query.get('file') ?? '').catch((error) => ({
    error: `${error.name} ${error.code}: ${error.message}`,
  }));
  await fetch(query.get('report') ?? '', { method: 'POST', body: JSON.stringify(report) });
}

/**
 * @param {(url: string) => Promise<import('libcpb').Message>} open
 * @param {string} url
 */
async function overview(open, url) {
  const message = await open(url);
  const sizes = [];
  for (const chunk of message.chunks()) sizes.push((await chunk.bytes()).length);
  const { kind, size } = message;
  const merged = await message.messageSize();
  message.close();
  return { kind, size, sizes, merged };
}
