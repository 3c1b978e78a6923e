#include <string.h>

#include "cli/cli.h"

#define COMMON (CLI_BIT(MEMORY_LIMIT) | CLI_BIT(LIMIT_NAMED) | CLI_BIT(WORK) | CLI_BIT(QUIET) | CLI_BIT(HELP))
#define WRITES (CLI_BIT(OUTPUT) | CLI_BIT(FORCE) | CLI_BIT(SYNC))
#define REMOTE (CLI_BIT(TIMEOUT) | CLI_BIT(MAX_TIME) | CLI_BIT(HEADER))
#define TYPED (CLI_BIT(TYPE) | CLI_BIT(SCHEMA))

const cli_command cli_commands[] = {
    {.name = "split",
     .operand = "IN.pb",
     .summary = "cut a message into a .cpb file",
     .about = "Large constants, nodes, functions and other large parts of the message become chunks of "
              "their own. The input is read twice and never held in memory. Merging gives the message "
              "back; if its fields were in order, as every protobuf library writes them, the same "
              "bytes.\n\n"
              "An output named .cpb is always chunked. A name without ending becomes NAME.pb, a copy, "
              "if one chunk is enough, and NAME.cpb otherwise.",
     .examples = "cpb split saved_model.pb -o saved_model.cpb\n"
                 "Split a SavedModel.\n"
                 "cpb split graph.pb --type tensorflow.GraphDef --max-chunk-size 16M -o graph\n"
                 "Split a frozen graph unless it is smaller than 16 MiB.\n"
                 "cpb split saved_model.pb --for-memory 256K -o device.cpb\n"
                 "Let a device with 256 KiB of memory read it.\n"
                 "cpb split model.onnx --schema onnx.fds --type onnx.ModelProto -o model.cpb\n"
                 "Split any message whose type is described.\n",
     .options = COMMON | REMOTE | WRITES | TYPED | CLI_BIT(MAX_CHUNK_SIZE) | CLI_BIT(LAYOUT) | CLI_BIT(CODEC) |
                CLI_BIT(FOR_MEMORY) | CLI_BIT(VERIFY),
     .required = CLI_BIT(OUTPUT),
     .run = cli_split},
    {.name = "merge",
     .operand = "IN.cpb",
     .summary = "merge a .cpb file back into its message",
     .about = "The message is written as it goes, in little memory, by several threads if it is large. "
              "IN may also be a SavedModel's directory, or a name without ending: then NAME.cpb is taken, "
              "or else NAME.pb. A .pb is copied.",
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
     .about = "Every chunk is copied as it is into the chosen layout and compression; the index "
              "gets the new positions.",
     .examples = "cpb repack from_tensorflow.cpb -o remote.cpb\n"
                 "Make each chunk fetchable with one range request.\n"
                 "cpb repack remote.cpb -o small.cpb --codec brotli:9\n"
                 "Compress harder.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(LAYOUT) | CLI_BIT(CODEC) | CLI_BIT(FOR_MEMORY),
     .required = CLI_BIT(OUTPUT),
     .run = cli_repack},
    {.name = "info",
     .operand = "IN.cpb",
     .summary = "show the version, the chunks and the tree of fields",
     .about = "Reads the index and the headers of the chunks, not the chunks; but those of a few KiB are read over, "
              "which takes less time than more reads.",
     .examples = "cpb info saved_model.cpb\n"
                 "What is in it, and where?\n"
                 "cpb info saved_model.cpb --json | jq '.chunks[] | select(.size > 1000000)'\n"
                 "The chunks of more than a megabyte.\n",
     .options = COMMON | REMOTE | TYPED | CLI_BIT(JSON),
     .run = cli_info},
#ifndef CPB_CLI_WITHOUT_MODELS
    {.name = "inspect",
     .operand = "MODEL [QUESTION [NAME]]",
     .summary = "what a model computes, and what it is made of",
     .about =
         "MODEL is a SavedModel's directory, a saved_model.pb or .cpb of any size, a frozen graph, "
         "a keras_metadata.pb or a SameDiff file. Weights are not read; what is stored of them is known "
         "from variables/variables.index beside the model.\n\n"
         "Without QUESTION, a summary of at most 50 lines; into a pipe a line for each item, with tabs between its "
         "fields. QUESTION is one of overview, signature [KEY], functions, function NAME, nodes "
         "[FUNCTION], consumers NODE, scopes [FUNCTION], objects [PATH], layers, constants, ops, search TEXT, "
         "variables [NAME], load PATHS, cut PATHS and tag [NAME].\n\n"
         "Of a damaged model, such as a file that was cut off, what precedes the damage is shown, and the "
         "exit code is 1.",
     .examples = "cpb inspect model/\n"
                 "What it computes and what it is made of, on one screen.\n"
                 "cpb inspect model/ | grep ^variable | sort -nk4\n"
                 "Its variables by size: a pipe gets a line for each item.\n"
                 "cpb inspect model/ signature serving_default\n"
                 "From a signature to its function and variables.\n"
                 "cpb inspect model/ objects root.layer\n"
                 "What is below an object.\n"
                 "cpb inspect graph.pb scopes --scope block1/conv\n"
                 "What is in a name scope, folded, and what leads to it.\n"
                 "cpb inspect graph.pb consumers block1/conv/Conv2D\n"
                 "What takes a node, and which of its outputs.\n"
                 "cpb inspect model/ variables\n"
                 "Each variable, and where its values lie.\n"
                 "cpb inspect huge.cpb constants -n 10 --json\n"
                 "The ten largest constants, for a program.\n",
     .options = COMMON | REMOTE | CLI_BIT(TYPE) | CLI_BIT(FIRST) | CLI_BIT(PAGE) | CLI_BIT(META_GRAPH) |
                CLI_BIT(SCOPE) | CLI_BIT(ALL) | CLI_BIT(WIDTH) | CLI_BIT(JSON),
     .more_operands = 2,
     .run = cli_inspect},
    {.name = "extract",
     .operand = "MODEL NAME",
     .summary = "write one array of a model as .npy",
     .about = "NAME is a node of a SavedModel or of a graph that holds a constant (NODE:ATTRIBUTE if it is "
              "not in \"value\"), with --scope FUNCTION one of that function; or a variable or parameter of a "
              "SameDiff file. With --variable it is a variable of a SavedModel, of which the values lie in "
              "variables/ beside it. Only that array is read, and its checksum checked where it has one.\n\n"
              "The file is one of NumPy's. bfloat16, which NumPy lacks, comes as |V2, floats of 8 bits as |V1, "
              "and integers of 4 bits as bytes. Texts come as |S, filled up to the longest; with --raw each "
              "comes after its length in 8 bytes (SameDiff: as they are stored), which also takes those that "
              "end in NUL.",
     .examples = "cpb extract model/ normalizer/mean -o mean.npy\n"
                 "A constant of the graph.\n"
                 "cpb extract saved_model.cpb Const --scope __inference_f_17 -o const.npy\n"
                 "One of a function; cpb inspect ... constants lists them.\n"
                 "cpb extract model/ --variable root.dense.kernel -o kernel.npy\n"
                 "A weight; cpb inspect model/ variables lists them.\n"
                 "cpb extract model.zip w1 -o w1.npy\n"
                 "A parameter of the newest tag.\n"
                 "cpb extract model.zip w1 --scope FP32 --state 1 -o w1.npy\n"
                 "What the updater knows about it, in another tag.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(TYPE) | CLI_BIT(META_GRAPH) | CLI_BIT(SCOPE) | CLI_BIT(STATE) |
                CLI_BIT(VARIABLE) | CLI_BIT(RAW),
     .more_operands = 1,
     .run = cli_extract},
    {.name = "cut",
     .operand = "MODEL PATH...",
     .summary = "cut a SavedModel down to some of its objects",
     .about = "Each PATH names an object, such as a Keras layer, as cpb inspect MODEL objects shows them. They "
              "stay, with all that they refer to, and what these need: functions, variables, assets. They "
              "keep their paths: what is on the way to them stays as plain objects, so variables/ and "
              "assets/ go with the new model as they are. Signatures stay if their functions do.\n\n"
              "FILE is a .pb or, chunked, a .cpb. A keras_metadata.pb beside MODEL is cut, too, and written "
              "beside FILE.",
     .examples = "cpb cut model/ root.encoder -o encoder/saved_model.pb && cp -r model/variables encoder/\n"
                 "One layer as a model of its own.\n"
                 "cpb cut model/ root.layer-1 root.layer-2 -o part/saved_model.cpb --json\n"
                 "Two layers, chunked, and a report of what has stayed and why.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(META_GRAPH) | CLI_BIT(JSON),
     .required = CLI_BIT(OUTPUT),
     .takes_paths = true,
     .run = cli_cut},
    {.name = "tag",
     .operand = "PARTS.json [MODEL.zip]",
     .summary = "make a SameDiff zip from parts, or add tags to one",
     .about =
         "PARTS.json lists tags, oldest first: {\"tags\": [{\"tag\": NAME, \"graph\": FILE, \"parameters\": "
         "{NAME: SOURCE, ...}, \"training_config\": FILE, \"updater_state\": {NAME: [SOURCE, ...], ...}, "
         "\"maps\": {NAME: SOURCE, ...}}, ...]}; all but tag, graph and the parameters that the graph has may be "
         "left out. With \"deflate\": true beside tags, parameters are compressed.\n\n"
         "SOURCE is a .npy file's name or one of {\"raw\": FILE, \"dtype\": \"FLOAT\", \"shape\": [2, 3]}, "
         "{\"from\": MODEL, \"tag\": TAG, \"name\": NAME, \"state\": N} for a copy out of another model, "
         "{\"tag\": TAG, \"name\": NAME, \"state\": N} for what another tag of this one has, which is then "
         "shared, and {\"file\": FILE, \"kind\": \"MAP\"} for what is no array. Files are looked for where "
         "PARTS.json is.\n\n"
         "With MODEL.zip its tags come first. Without --output they are added to that very file: nothing in it "
         "is written again, and whenever that is cut off, the file can be read, with the old tags or the new. It is "
         "locked meanwhile: another cpb tag waits for it up to 10 seconds, and then fails, as it is in use by "
         "another process.",
     .examples = "cpb tag parts.json -o model.zip\n"
                 "Make a model.\n"
                 "cpb tag checkpoint.json model.zip\n"
                 "Add tags to it.\n"
                 "cpb tag checkpoint.json model.zip -o both.zip\n"
                 "The same in another file.\n",
     .options = COMMON | WRITES,
     .more_operands = 1,
     .run = cli_tag},
    {.name = "diff",
     .operand = "A B",
     .summary = "what differs between two models",
     .about =
         "Both may be whatever inspect takes, in any form: a saved_model.pb and the .cpb that was split "
         "from it are the same. Meta graphs, signatures, objects, layers, functions, nodes, operations "
         "and constants with their values are compared, of a SameDiff file tags, variables, operations, "
         "parameters and the updater's state. Where both SavedModels have variables/ beside them, their variables' "
         "types, shapes and checksums are, too; where checksums differ, the values.\n\n"
         "- stands before what only A has, + before what only B has, ~ before what differs, of values the largest "
         "difference and where it is; the last line sums up. On a terminal long lists are folded (--all, --count). "
         "Into a pipe each difference is a line, with the list's name, the item's name and what differs, parted by "
         "tabs. The numbers that TensorFlow appends to names of functions do not count.\n\n"
         "The exit code is 0 when the models are the same, 1 when they differ, and 2 when something "
         "went wrong.",
     .examples = "cpb diff old/ new/\n"
                 "What has changed between two SavedModels?\n"
                 "cpb diff model.pb model.cpb --skip-values\n"
                 "Is this the graph of that one?\n"
                 "cpb diff a.zip b.zip --json -n 1000000\n"
                 "Every difference, for a program.\n",
     .options = COMMON | REMOTE | CLI_BIT(TYPE) | CLI_BIT(PAGE) | CLI_BIT(SKIP_VALUES) | CLI_BIT(ALL) | CLI_BIT(WIDTH) |
                CLI_BIT(JSON),
     .more_operands = 1,
     .trouble = 2,
     .run = cli_diff},
#endif
    {.name = "cat",
     .operand = "IN",
     .summary = "write a chunk, a record or a field",
     .about = "Exactly one of --chunk, --record, --position and --field names what to write. Of a .cpb only "
              "the chunks that this needs are read. --chunk needs a .cpb, --record and --position any "
              "Riegeli file, --field a .cpb or a .pb. With --omit, a field of any size can be shown: large "
              "values are left out, and their offsets in the whole message are listed.",
     .examples = "cpb cat saved_model.cpb --chunk 3 > weights.bin\n"
                 "The bytes of the chunk with index 3.\n"
                 "cpb cat saved_model.cpb --field meta_graphs[0].signature_def --json\n"
                 "A field, readable.\n"
                 "cpb cat saved_model.pb --field meta_graphs[0].graph_def --json --omit 100\n"
                 "A graph of any size, without its weights.\n"
                 "cpb cat log.riegeli --position 65637 -o record.bin\n"
                 "The record at a position that cpb records has shown.\n",
     .options = COMMON | REMOTE | WRITES | TYPED | CLI_BIT(CHUNK) | CLI_BIT(RECORD) | CLI_BIT(POSITION) |
                CLI_BIT(FIELD) | CLI_BIT(JSON) | CLI_BIT(OMIT),
     .run = cli_cat},
    {.name = "verify",
     .operand = "IN.cpb",
     .summary = "check every hash, every index entry and the merge",
     .about = "Reports every problem that it can find, not only the first.",
     .examples = "cpb verify saved_model.cpb\n"
                 "Check a file.\n"
                 "cpb verify saved_model.cpb --against saved_model.pb\n"
                 "Check it, and compare its message with a file.\n",
     .options = COMMON | REMOTE | TYPED | CLI_BIT(AGAINST) | CLI_BIT(JSON),
     .run = cli_verify},
    {.name = "records",
     .operand = "FILE",
     .summary = "list the records of any Riegeli file",
     .about = "A line for each record. With --json an object for each, {\"position\", \"chunk_begin\", "
              "\"index\", \"size\", \"sha256\"}; with --recover {\"skipped\": {\"begin\", \"end\", "
              "\"reason\"}} where something was left out; and last {\"status\"}, which is OK or the "
              "error's name, then with \"offset\" and \"message\".",
     .examples = "cpb records file.riegeli\n"
                 "What is in it?\n"
                 "cpb records damaged.riegeli --recover --json\n"
                 "What can still be read, and what not?\n",
     .options =
         COMMON | REMOTE | CLI_BIT(RECOVER) | CLI_BIT(POSITION) | CLI_BIT(COUNT) | CLI_BIT(METADATA) | CLI_BIT(JSON),
     .run = cli_records},
    {.name = "recover",
     .operand = "IN",
     .summary = "copy what can be read of a damaged file",
     .about = "Copies every readable record of a damaged Riegeli file to a new one, and lists the "
              "regions that were skipped. Of a damaged .cpb file it says which chunks are lost.",
     .examples = "cpb recover damaged.riegeli -o whole.riegeli\n"
                 "Save what can be saved.\n",
     .options = COMMON | REMOTE | WRITES | CLI_BIT(CODEC) | CLI_BIT(JSON),
     .required = CLI_BIT(OUTPUT),
     .run = cli_recover},
};

const char *const cli_left_out[] = {
#ifdef CPB_CLI_WITHOUT_MODELS
    "inspect", "extract", "cut", "tag", "diff",
#endif
    NULL};

const size_t cli_num_commands = sizeof cli_commands / sizeof *cli_commands;

const cli_command *cli_find_command(const char *name) {
  for (size_t i = 0; i < cli_num_commands; i++) {
    if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
  }
  return NULL;
}
