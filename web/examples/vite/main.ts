/** A page that says what a model serves. The work is done in a Worker, so the page never stands still. */
import { CpbError, inspectInWorker } from 'libcpb';

const form = document.querySelector('form')!;
const output = document.querySelector('output')!;

async function served(url: string): Promise<string[]> {
  const model = await inspectInWorker(url, { kind: 'saved_model' });
  try {
    const { signatures } = await model.overview();
    const lines = signatures.items.map(({ key, inputs, outputs }) => {
      const names = (ends: { name: string }[]) => ends.map(({ name }) => name).join(', ');
      return `${key}(${names(inputs)}) → ${names(outputs)}`;
    });
    return [...lines, `${model.transferred.bytes} bytes in ${model.transferred.requests} requests`];
  } finally {
    model.close(); // and the Worker
  }
}

async function show(url: string) {
  output.textContent = 'Opening …';
  try {
    output.replaceChildren(
      ...(await served(url)).map((line) => Object.assign(document.createElement('p'), { textContent: line })),
    );
  } catch (error) {
    if (!(error instanceof CpbError)) throw error;
    output.textContent = `${error.code}: ${error.message}`;
  }
}

const given = new URLSearchParams(location.search).get('url');
if (given) {
  form.querySelector('input')!.value = given;
  await show(given);
}
