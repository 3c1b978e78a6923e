#include <string.h>

#include "cli/cli.h"

#define COMMON (CLI_BIT(MEMORY_LIMIT) | CLI_BIT(LIMIT_NAMED) | CLI_BIT(WORK) | CLI_BIT(QUIET) | CLI_BIT(HELP))
#define WRITES (CLI_BIT(OUTPUT) | CLI_BIT(FORCE) | CLI_BIT(SYNC))
#define REMOTE                                                                                               \
  (CLI_BIT(TIMEOUT) | CLI_BIT(MAX_TIME) | CLI_BIT(MIN_SPEED) | CLI_BIT(HEADER) | CLI_BIT(ALLOW_REFERENCES) | \
   CLI_BIT(DOWNLOAD) | CLI_BIT(IGNORE_ETAG))
#define TYPED (CLI_BIT(TYPE) | CLI_BIT(SCHEMA))

const cli_command cli_commands[] = {
    {.name = "split",
     .operand = "IN.pb",
     .summary = "cut a message into a .cpb file",
     .about = "Large constants, nodes, functions and other large parts of the message become chunks of "
              "their own. The input is read twice and never held in memory. Merging gives the message "
              "back, byte for byte if its fields were in order, as every protobuf library writes them.\n\n"
              "If FILE ends in .cpb, it is always chunked. If it has no ending, the output is FILE.cpb, or "
              "FILE.pb, a plain copy, if one chunk is enough.",
     .examples = "cpb split saved_model.pb -o saved_model.cpb\n"
                 "Split a SavedModel.\n"
                 "cpb split graph.pb --max-chunk-size 16M -o graph\n"
                 "Split a frozen graph if it is larger than 16 MiB.\n"
                 "cpb split saved_model.pb --for-memory 256K -o device.cpb\n"
                 "Make a file for a device with 256 KiB of memory.\n"
                 "cpb split saved_model.pb --file-size 1G -o saved_model.cpb\n"
                 "Put the chunks into files of up to 1 GiB each, which the output names.\n"
                 "cpb split tuned/saved_model.pb --base base.cpb -o tuned.cpb\n"
                 "Write only what base.cpb does not have.\n"
                 "cpb split model.onnx -o model.cpb\n"
                 "Split an ONNX model.\n"
                 "cpb split data.pb --schema data.fds --type example.Data -o data.cpb\n"
                 "Split a message of any type, with its descriptor set.\n",
     .options = COMMON | REMOTE | WRITES | TYPED | CLI_BIT(MAX_CHUNK_SIZE) | CLI_BIT(FILES) | CLI_BIT(FILE_SIZE) |
                CLI_BIT(BASE) | CLI_BIT(LAYOUT) | CLI_BIT(CODEC) | CLI_BIT(FOR_MEMORY) | CLI_BIT(TRANSPOSE) |
                CLI_BIT(INDEX_PAGES) | CLI_BIT(VERIFY) | CLI_BIT(THREADS),
     .required = CLI_BIT(OUTPUT),
     .run = cli_split},
    {.name = "merge",
     .operand = "IN.cpb",
     .summary = "merge a .cpb file back into its message",
     .about = "The message is streamed, so this takes little memory; a large one is written by several threads. "
              "IN may also be a SavedModel's directory, or a name without ending, for which NAME.cpb or else "
              "NAME.pb is taken. A .pb is copied.",
     .examples = "cpb merge saved_model.cpb -o saved_model.pb\n"
                 "Make a SavedModel that every TensorFlow loads.\n"
                 "cpb merge graph.cpb -o - | protoc --decode_raw\n"
                 "Pass the message to another program.\n",
     .options = COMMON | REMOTE | WRITES | TYPED | CLI_BIT(THREADS),
     .required = CLI_BIT(OUTPUT),
     .run = cli_merge},
    {.name = "repack",
     .operand = "IN.cpb",
     .summary = "change the layout or compression of a .cpb file",
     .about = "The contents of the chunks stay the same; where they are and how they are compressed changes, and the "
              "index with it. Chunks in other files come into the output. A large file is encoded by several threads.",
     .examples = "cpb repack from_tensorflow.cpb -o remote.cpb\n"
                 "Make each chunk one range request away.\n"
                 "cpb repack remote.cpb -o small.cpb --codec brotli:9\n"
                 "Compress harder.\n"
                 "cpb repack tuned.cpb -o alone.cpb\n"
                 "Bring in what it has in other files, such as a base's, so that it needs none.\n"
                 "cpb repack remote.cpb -o dense.cpb --riegeli-options transpose,zstd:19,chunk_size:4M\n"
                 "Put chunks together, for a file that is read as a whole.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(LAYOUT) | CLI_BIT(CODEC) | CLI_BIT(FOR_MEMORY) | CLI_BIT(TRANSPOSE) |
                CLI_BIT(INDEX_PAGES) | CLI_BIT(RIEGELI_OPTIONS) | CLI_BIT(THREADS),
     .required = CLI_BIT(OUTPUT),
     .run = cli_repack},
    {.name = "info",
     .operand = "IN.cpb",
     .summary = "show the version, the chunks and the tree of fields",
     .about = "Reads only the index and the headers of the chunks, except that small chunks are read with their "
              "neighbours, which is faster than one read for each.",
     .examples = "cpb info saved_model.cpb\n"
                 "What is in it, and where?\n"
                 "cpb info saved_model.cpb --json | jq '.chunks[] | select(.size > 1000000)'\n"
                 "The chunks of more than a megabyte.\n",
     .options = COMMON | REMOTE | TYPED | CLI_BIT(JSON),
     .run = cli_info},
#ifndef CPB_CLI_WITHOUT_MODELS
    {.name = "inspect",
     .operand = "MODEL [QUESTION [NAME]]",
     .summary = "show what a model computes and what it is made of",
     .about =
         "MODEL is a model's file or directory, or the .cpb that was split from it, of any size; or a checkpoint: its "
         "index, its prefix or its directory. It may be in protobuf's text format, or in a zip archive: of several "
         "models in one, MODEL.zip!/NAME is one. Weights are not read: their shapes and sizes come from the model, or "
         "from variables/variables.index beside it.\n\n"
         "Without QUESTION, it prints a summary of at most 50 lines. For programs, --tsv prints a line for each item, "
         "and --csv a list.\n\n"
         "If the model is damaged, for example cut off, everything before the damage is shown, and the exit code "
         "is 1.",
     .asks = true,
     .examples = "cpb inspect model/\n"
                 "What it computes and what it is made of, on one screen.\n"
                 "cpb inspect model/ --tsv | grep ^variable | sort -nk4\n"
                 "Its variables by size.\n"
                 "cpb inspect model/ signature serving_default\n"
                 "From a signature to its function and variables.\n"
                 "cpb inspect model/ objects root.layer\n"
                 "An object and its children.\n"
                 "cpb inspect graph.pb scopes --scope block1/conv\n"
                 "What is in a name scope, with nested scopes folded.\n"
                 "cpb inspect graph.pb consumers block1/conv/Conv2D\n"
                 "Which nodes take the outputs of a node.\n"
                 "cpb inspect model.onnx node /layer/Conv\n"
                 "A node, its inputs with their types, outputs and attributes.\n"
                 "cpb inspect model.onnx downstream input --to /layer/Conv\n"
                 "How one gets from an input to a node.\n"
                 "cpb inspect model/ variables\n"
                 "Each variable, and where its values are.\n"
                 "cpb inspect huge.cpb constants -n 10 --json\n"
                 "The ten largest constants, as JSON.\n",
     .options = COMMON | REMOTE | CLI_BIT(TYPE) | CLI_BIT(FIRST) | CLI_BIT(PAGE) | CLI_BIT(META_GRAPH) |
                CLI_BIT(SCOPE) | CLI_BIT(TO) | CLI_BIT(DISTANCE) | CLI_BIT(AXIS) | CLI_BIT(BRIEF) | CLI_BIT(ALL) |
                CLI_BIT(WIDTH) | CLI_BIT(TSV) | CLI_BIT(CSV) | CLI_BIT(JSON),
     .more_operands = 2,
     .run = cli_inspect},
    {.name = "extract",
     .operand = "MODEL NAME",
     .summary = "write one array of a model as .npy",
     .about =
         "NAME is a constant of the graph, given by its node (NODE:ATTRIBUTE if the tensor is in another attribute "
         "than \"value\"), or of a function or subgraph, with --scope FUNCTION where several have one of that name; a "
         "parameter of a SameDiff file; a key of a checkpoint; or a variable of a SavedModel, by its path, name or "
         "key, whose values are in variables/ beside it. Only this array is read. Its checksum, if it has one, is "
         "verified; that of a file in a zip archive if the file is compressed, or has up to 64 MiB and no URL.\n\n"
         "Types that NumPy lacks are written as bytes: bfloat16 as |V2, 8-bit floats as |V1, 4-bit integers one "
         "in a byte. Strings are written as |S, padded to the longest. With --raw, each string follows its "
         "length in 8 bytes (in a SameDiff file: as it is stored), which also keeps NULs at its end.",
     .examples = "cpb extract model/ normalizer/mean -o mean.npy\n"
                 "A constant of the graph.\n"
                 "cpb extract saved_model.cpb Const --scope __inference_f_17 -o const.npy\n"
                 "A constant of a function; cpb inspect MODEL constants lists them.\n"
                 "cpb extract model/ --variable root.dense.kernel -o kernel.npy\n"
                 "A weight; cpb inspect MODEL variables lists them.\n"
                 "cpb extract ckpt/model-1000 dense/kernel -o kernel.npy\n"
                 "A tensor of a checkpoint.\n"
                 "cpb extract model.zip w1 -o w1.npy\n"
                 "A parameter of the newest tag.\n"
                 "cpb extract model.zip w1 --scope FP32 --state 1 -o w1.npy\n"
                 "The first state that the updater keeps for it, in the tag FP32.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(TYPE) | CLI_BIT(META_GRAPH) | CLI_BIT(SCOPE) | CLI_BIT(STATE) |
                CLI_BIT(VARIABLE) | CLI_BIT(RAW),
     .more_operands = 1,
     .run = cli_extract},
    {.name = "cut",
     .operand = "MODEL PATH...",
     .summary = "cut a SavedModel down to some of its objects",
     .about = "PATHs are paths of objects, such as Keras layers; cpb inspect MODEL objects lists them. These objects "
              "stay, with all that they refer to and need: functions, variables, assets. They keep their paths, "
              "so variables/ and assets/ can be copied unchanged. A signature stays if its function does.\n\n"
              "FILE is a .pb, or a .cpb, which is chunked. A keras_metadata.pb beside MODEL is cut, too, and written "
              "beside FILE.",
     .examples = "cpb cut model/ root.encoder -o encoder/saved_model.pb && cp -r model/variables encoder/\n"
                 "One layer as a model of its own.\n"
                 "cpb cut model/ root.layer-1 root.layer-2 -o part/saved_model.cpb --json\n"
                 "Two layers, chunked, and a report of what stayed and why.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(META_GRAPH) | CLI_BIT(JSON),
     .required = CLI_BIT(OUTPUT),
     .takes_paths = true,
     .run = cli_cut},
    {.name = "convert",
     .operand = "MODEL.onnx|.cpb",
     .summary = "move an ONNX model's values into it, beside it, or into a .cpb",
     .about =
         "If FILE ends in .cpb, it is chunked and has all values, of any size. Otherwise it is an ONNX model, with "
         "all values inside if they fit into 2 GiB, or else with FILE.data beside it. Values are copied by "
         "ranges, and nothing else of the model changes; tensors that share values beside it still do. Files that "
         "MODEL names are read from its folder. If FILE is a folder, the output is MODEL.onnx in it.",
     .examples = "cpb convert model.onnx -o model.cpb\n"
                 "One file for a model and what lies beside it.\n"
                 "cpb convert model.cpb -o out/model.onnx\n"
                 "Back into an ONNX model, with out/model.onnx.data if it is larger than 2 GiB.\n"
                 "cpb convert model.onnx -o apart.onnx --external-data --threshold 1M\n"
                 "Only large tensors apart.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(TYPE) | CLI_BIT(MAX_CHUNK_SIZE) | CLI_BIT(CODEC) |
                CLI_BIT(EXTERNAL_DATA) | CLI_BIT(THRESHOLD),
     .required = CLI_BIT(OUTPUT),
     .run = cli_convert},
    {.name = "tag",
     .operand = "PARTS.json [MODEL.zip]",
     .summary = "make a SameDiff zip from parts, or add tags to one",
     .about =
         "PARTS.json lists tags, oldest first: {\"tags\": [{\"tag\": NAME, \"graph\": FILE, \"parameters\": "
         "{NAME: SOURCE, ...}, \"training_config\": FILE, \"updater_state\": {NAME: [SOURCE, ...], ...}, "
         "\"maps\": {NAME: SOURCE, ...}}, ...]}; "
         "\"tag\", \"graph\" and all parameters of the graph are required. With \"deflate\": true beside \"tags\", "
         "parameters are compressed.\n\n"
         "SOURCE is a .npy file's name or one of {\"raw\": FILE, \"dtype\": \"FLOAT\", \"shape\": [2, 3]}, "
         "{\"from\": MODEL, \"tag\": TAG, \"name\": NAME, \"state\": N} for a copy from another model, "
         "{\"tag\": TAG, \"name\": NAME, \"state\": N} for an array shared with another tag of this file, "
         "and {\"file\": FILE, \"kind\": \"MAP\"} for anything but an array. FILEs are relative to the folder of "
         "PARTS.json.\n\n"
         "If MODEL.zip is given, the new tags follow its own. Without --output they are added to the file itself: "
         "nothing in it is rewritten, and even if this is interrupted, the file stays readable, with the old tags or "
         "the new. It is locked meanwhile; another cpb tag waits up to 10 seconds for it, and then fails.",
     .examples = "cpb tag parts.json -o model.zip\n"
                 "Make a model.\n"
                 "cpb tag checkpoint.json model.zip\n"
                 "Add tags to it, in place.\n"
                 "cpb tag checkpoint.json model.zip -o both.zip\n"
                 "Write the old tags and the new to another file.\n",
     .options = COMMON | WRITES,
     .more_operands = 1,
     .run = cli_tag},
    {.name = "diff",
     .operand = "A B",
     .summary = "show what differs between two models",
     .about =
         "A and B are models that cpb inspect takes, in any form: a saved_model.pb equals the .cpb that was split "
         "from it. Compared are meta graphs, signatures, objects, layers, functions, nodes, operations "
         "and the values of constants; of SameDiff files tags, variables, operations, parameters and the updater's "
         "state. If both SavedModels have variables/ beside them, the types, shapes and checksums of variables are "
         "compared, too, and their values if the checksums differ. The numbers that TensorFlow appends to the names "
         "of functions are ignored.\n\n"
         "A line begins with - if only A has the item, with + if only B has it, and with ~ if both have it and it "
         "differs; for values it says how far they differ at most, and where. The last line sums up. Long "
         "lists are folded (see --all and --count). With --tsv, it prints a line for each difference, with tabs "
         "between the fields: the sign, the list, the item's name, and what differs.\n\n"
         "The exit code is 0 if the models are equal, 1 if they differ, and 2 if something went wrong. "
         "Of a damaged model, what can be read is compared; the first lines say where it ends, and the exit code is 2.",
     .examples = "cpb diff old/ new/\n"
                 "What has changed between two SavedModels?\n"
                 "cpb diff model.pb model.cpb --skip-values\n"
                 "Do both have the same graph?\n"
                 "cpb diff a.zip b.zip --json -n 1000000\n"
                 "Every difference, as JSON.\n",
     .options = COMMON | REMOTE | CLI_BIT(TYPE) | CLI_BIT(PAGE) | CLI_BIT(SKIP_VALUES) | CLI_BIT(ALL) | CLI_BIT(WIDTH) |
                CLI_BIT(TSV) | CLI_BIT(JSON),
     .more_operands = 1,
     .trouble = 2,
     .run = cli_diff},
#endif
    {.name = "cat",
     .operand = "IN",
     .summary = "write a chunk, a record or a field",
     .about = "Give exactly one of --chunk (of a .cpb), --record or --position (of any Riegeli file) and --field (of a "
              ".cpb or .pb). Of a .cpb, only the chunks that are needed are read. With --omit, a field of any size "
              "can be shown: large values are left out, and their offsets in the whole message are listed.",
     .examples = "cpb cat saved_model.cpb --chunk 3 > weights.bin\n"
                 "The bytes of the chunk with index 3.\n"
                 "cpb cat saved_model.cpb --field meta_graphs[0].signature_def --json\n"
                 "A field as JSON.\n"
                 "cpb cat saved_model.pb --field meta_graphs[0].graph_def --json --omit 100\n"
                 "A graph of any size, without its weights.\n"
                 "cpb cat log.riegeli --position 65637 -o record.bin\n"
                 "The record at a position that cpb records showed.\n",
     .options = COMMON | REMOTE | WRITES | TYPED | CLI_BIT(CHUNK) | CLI_BIT(RECORD) | CLI_BIT(POSITION) |
                CLI_BIT(FIELD) | CLI_BIT(JSON) | CLI_BIT(OMIT),
     .run = cli_cat},
    {.name = "verify",
     .operand = "IN.cpb",
     .summary = "check every hash, every index entry and the merge",
     .about = "All problems are reported, not only the first. A large file is read by several threads.",
     .examples = "cpb verify saved_model.cpb\n"
                 "Check a file.\n"
                 "cpb verify saved_model.cpb --against saved_model.pb\n"
                 "Check it, and compare its message with a file.\n",
     .options = COMMON | REMOTE | TYPED | CLI_BIT(AGAINST) | CLI_BIT(THREADS) | CLI_BIT(JSON),
     .run = cli_verify},
    {.name = "records",
     .operand = "FILE",
     .summary = "list the records of any Riegeli file",
     .about =
         "Prints a line for each record. With --json, a line is an object: {\"position\", \"chunk_begin\", "
         "\"index\", \"size\"}, with --at also \"number\", with --sha256 \"sha256\", and with --type \"record\", the "
         "message as JSON, for a record; with --recover, {\"skipped\": "
         "{\"begin\", \"end\", \"reason\"}} for a region that was skipped; and at the end {\"status\"}, "
         "which is OK, or the error's name with \"offset\" and \"message\".",
     .examples = "cpb records file.riegeli\n"
                 "What is in it?\n"
                 "cpb records log.riegeli --at -10: --type my.Event --schema set.fds --fields id,user.name --json\n"
                 "Two fields of the last ten records.\n"
                 "cpb records damaged.riegeli --recover --json\n"
                 "What can still be read, and what cannot?\n",
     .options = COMMON | REMOTE | TYPED | CLI_BIT(FIELDS) | CLI_BIT(RECOVER) | CLI_BIT(POSITION) | CLI_BIT(AT) |
                CLI_BIT(COUNT) | CLI_BIT(METADATA) | CLI_BIT(SHA256) | CLI_BIT(JSON),
     .run = cli_records},
    {.name = "recover",
     .operand = "IN",
     .summary = "copy what can be read of a damaged file",
     .about = "Copies every readable record of a damaged Riegeli file to a new one, and lists the "
              "regions that were skipped. For a damaged .cpb file it also says which chunks are lost.",
     .examples = "cpb recover damaged.riegeli -o whole.riegeli\n"
                 "Save what can be saved.\n"
                 "cpb recover log.riegeli -o dense.riegeli --riegeli-options transpose,brotli:9\n"
                 "Write any Riegeli file anew, in another way.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(CODEC) | CLI_BIT(RIEGELI_OPTIONS) | CLI_BIT(JSON),
     .required = CLI_BIT(OUTPUT),
     .run = cli_recover},
};

const char *const cli_left_out[] = {
#ifdef CPB_CLI_WITHOUT_MODELS
    "inspect", "extract", "cut", "convert", "tag", "diff",
#endif
    NULL};

const size_t cli_num_commands = sizeof cli_commands / sizeof *cli_commands;

const cli_command *cli_find_command(const char *name) {
  for (size_t i = 0; i < cli_num_commands; i++)
    if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
  return NULL;
}
