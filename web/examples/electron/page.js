/* global models: of preload.cjs */
const output = document.querySelector('output');

document.querySelector('button').onclick = async () => {
  const model = await models.choose();
  if (!model) return;
  const { path, error, signatures = [] } = model;
  const names = (ends) => ends.map(({ name }) => name).join(', ');
  // As text: what a model calls its functions is not to be trusted.
  const lines = signatures.map(({ key, inputs, outputs }) => `${key}(${names(inputs)}) → ${names(outputs)}`);
  output.textContent = [path, error, ...lines].filter(Boolean).join('\n');
};
