/** What is listed where the module cannot be asked is what it says. */
import { readFileSync } from 'node:fs';
import { kinds } from '../inspector/src/model/kinds.js';
import { moduleFor } from '../src/modules.js';
import { createInstance } from '../src/wasm/instance.js';
import { namesOf } from '../src/wasm/names.js';
import './support/libcpb.js'; // which says where modules are
import { assert, test } from './support/test.js';

/** Shown as another kind. */
const SHOWN_AS_OTHERS = ['meta_graph'];

test('the inspector has each kind of model, by its label', async () => {
  const instance = await createInstance(await moduleFor('inspect'));
  const labels = namesOf(instance, instance.c.cpb_model_kind_label);
  namesOf(instance, instance.c.cpb_model_kind_name).forEach((name, i) => {
    if (!SHOWN_AS_OTHERS.includes(name)) assert.equal(kinds[name]?.label, labels[i], name);
  });
});

test('the types of a codec have its name', async () => {
  const instance = await createInstance(await moduleFor('full'));
  for (const file of ['../src/reader/chunks.js', '../src/reader/stored.js', '../src/writer/pack.js']) {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    for (const name of namesOf(instance, instance.c.cpb_codec_name)) assert.ok(text.includes(`'${name}'`), name);
  }
});
