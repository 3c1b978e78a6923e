/** Models in protobuf's text format. */
import { libcpb } from './support/libcpb.js';
import { assert, test } from './support/test.js';

const GRAPH = `# A graph.
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node {
  name: "w" op: "Const"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: [1, 2.5, -inf] } } }
}
node { name: "y" op: "Mul" input: "x" input: 'w' }
versions { producer: 1882 }
`;

/** @param {string} text @param {string} [name] */
const open = (text, name = 'graph.pbtxt') => libcpb.inspect(new File([text], name));

test('a text is read as the message that it says', async () => {
  const model = await open(GRAPH);
  assert.equal(model.kind, 'graph_def');
  const { nodes } = /** @type {any} */ (await model.nodes());
  assert.deepEqual(
    nodes.items.map((/** @type {any} */ node) => node.name),
    ['x', 'w', 'y'],
  );
  const bytes = await (await model.values('w')).bytes();
  assert.deepEqual([...new Float32Array(bytes.slice().buffer)], [1, 2.5, -Infinity]);
  model.close();
});

test('other kinds', async () => {
  const meta = `meta_info_def { tags: "serve" } graph_def { ${GRAPH} }`;
  const texts = {
    meta_graph: meta,
    saved_model: `saved_model_schema_version: 1 meta_graphs { ${meta} }`,
    onnx: 'ir_version: 8 graph { node { input: "x" output: "y" op_type: "Relu" } name: "g" }',
    coreml: 'specificationVersion: 4 description { input { name: "x" } } mlProgram { version: 1 }',
  };
  for (const [kind, text] of Object.entries(texts)) {
    const model = await open(text, 'm.txt');
    assert.equal(model.kind, kind);
    model.close();
  }
});

test('a damaged text: the part before the damage is shown', async () => {
  const model = await open(GRAPH.slice(0, GRAPH.indexOf('versions') - 5));
  const overview = /** @type {any} */ (await model.overview());
  assert.match(JSON.stringify(overview.problems), /line 8 of the text: expected the end of the string, not/);
  assert.equal(/** @type {any} */ (await model.nodes()).nodes.total, 3);
  model.close();
});

test('fields that the type does not have are refused, and so are other texts', async () => {
  await assert.rejects(open(GRAPH.replace('op:', 'operation:')), {
    code: 'UNSUPPORTED',
    message: /"operation" is not a field of tensorflow.NodeDef/,
  });
  await assert.rejects(open('layer { name: "data" }'), { code: 'FORMAT' });
});
