/** The exports that every entry of the package has at once, and the types. */
export { CpbError, codes } from './errors.js';
export { init } from './init.js';

export { blobSource, bytesSource } from './source/memory.js';
export { urlSource } from './source/url.js';

export { budget } from './middleware/budget.js';
export { cache } from './middleware/cache.js';
export { check } from './middleware/check.js';
export { coalesce } from './middleware/coalesce.js';
export { compose } from './middleware/layer.js';
export { retry } from './middleware/retry.js';

/* The types of arguments and results; scripts/dist.js adds those of answers. */
/** @typedef {import('./types.js').Cost} Cost */
/** @typedef {import('./types.js').Limits} Limits */
/** @typedef {import('./types.js').Middleware} Middleware */
/** @typedef {import('./types.js').Progress} Progress */
/** @typedef {import('./types.js').Range} Range */
/** @typedef {import('./types.js').ReadOptions} ReadOptions */
/** @typedef {import('./types.js').Source} Source */
/** @typedef {import('./types.js').Stat} Stat */
/** @typedef {import('./errors.js').Code} Code */
/** @typedef {import('./init.js').ModuleInput} ModuleInput */
/** @typedef {import('./init.js').Modules} Modules */
/** @typedef {import('./reader/chunk-ranges.js').FileRange} FileRange */
/** @typedef {import('./reader/chunks.js').Chunk} Chunk */
/** @typedef {import('./reader/chunks.js').ChunkReadOptions} ChunkReadOptions */
/** @typedef {import('./reader/chunks.js').Stored} Stored */
/** @typedef {import('./reader/fields.js').Field} Field */
/** @typedef {import('./reader/fields.js').JsonOptions} JsonOptions */
/** @typedef {import('./reader/open-file.js').Verify} Verify */
/** @typedef {import('./reader/open.js').Message} Message */
/** @typedef {import('./reader/open.js').MessageBase} MessageBase */
/** @typedef {import('./reader/open.js').OpenOptions} OpenOptions */
/** @typedef {import('./reader/open.js').What} What */
/** @typedef {import('./reader/other-file.js').OtherFile} OtherFile */
/** @typedef {import('./source/references.js').References} References */
/** @typedef {import('./reader/message-content.js').Plan} Plan */
/** @typedef {import('./reader/records.js').Nth} Nth */
/** @typedef {import('./reader/records.js').Record} Record */
/** @typedef {import('./reader/records.js').Records} Records */
/** @typedef {import('./reader/records.js').RecordsBase} RecordsBase */
/** @typedef {import('./reader/records.js').RecordsOptions} RecordsOptions */
/** @typedef {import('./reader/records.js').Skipped} Skipped */
/** @typedef {import('./reader/tree.js').Node} Node */
/** @typedef {import('./reader/tree.js').Tag} Tag */
/** @typedef {import('./source/index.js').Input} Input */
/** @typedef {import('./source/other.js').FileInBrowser} FileInBrowser */
/** @typedef {import('./source/other.js').Handle} Handle */
/** @typedef {import('./source/other.js').NodeFile} NodeFile */
/** @typedef {import('./source/other.js').Streamed} Streamed */
/** @typedef {import('./source/other.js').SyncFile} SyncFile */
/** @typedef {import('./source/other.js').WithBody} WithBody */
/** @typedef {import('./source/index.js').SourceOptions} SourceOptions */
/** @typedef {import('./source/bucket.js').Bucket} Bucket */
/** @typedef {import('./source/bucket.js').BucketObject} BucketObject */
/** @typedef {import('./source/bucket.js').BucketRange} BucketRange */
/** @typedef {import('./source/s3.js').S3Like} S3Like */
/** @typedef {import('./source/s3.js').S3Options} S3Options */
/** @typedef {import('./source/url.js').UrlOptions} UrlOptions */
/** @typedef {import('./middleware/cache.js').CacheOptions} CacheOptions */
/** @typedef {import('./middleware/coalesce.js').CoalesceOptions} CoalesceOptions */
/** @typedef {import('./middleware/persist.js').Store} Store */
/** @typedef {import('./middleware/retry.js').RetryOptions} RetryOptions */
/** @typedef {import('./writer/merge.js').MergeOptions} MergeOptions */
/** @typedef {import('./writer/output.js').Output} Output */
/** @typedef {import('./writer/output.js').Result} Result */
/** @typedef {import('./writer/output.js').WriteOptions} WriteOptions */
/** @typedef {import('./writer/pack.js').PackOptions} PackOptions */
/** @typedef {import('./writer/pack.js').PackOwnOptions} PackOwnOptions */
/** @typedef {import('./writer/sinks.js').Destination} Destination */
/** @typedef {import('./writer/split.js').SplitOwnOptions} SplitOwnOptions */
/** @typedef {import('./writer/sinks.js').Sink} Sink */
/** @typedef {import('./writer/sinks.js').NodeWritable} NodeWritable */
/** @typedef {import('./writer/sinks.js').OpenedFile} OpenedFile */
/** @typedef {import('./writer/sinks.js').WritableNodeFile} WritableNodeFile */
/** @typedef {import('./writer/sinks.js').WritableSyncFile} WritableSyncFile */
/** @typedef {import('./writer/sinks.js').WritableFile} WritableFile */
/** @typedef {import('./writer/repack.js').RepackOptions} RepackOptions */
/** @typedef {import('./writer/repack.js').RepackOwnOptions} RepackOwnOptions */
/** @typedef {import('./writer/split.js').SplitOptions} SplitOptions */
/** @typedef {import('./writer/write-records.js').RecordBytes} RecordBytes */
/** @typedef {import('./writer/write-records.js').RecordsInput} RecordsInput */
/** @typedef {import('./writer/write-records.js').RecordsResult} RecordsResult */
/** @typedef {import('./writer/write-records.js').WriteRecordsOptions} WriteRecordsOptions */
/** @typedef {import('./inspect/checkpoint.js').CheckpointFiles} CheckpointFiles */
/** @typedef {import('./inspect/cut.js').Cut} Cut */
/** @typedef {import('./inspect/diff.js').DiffOptions} DiffOptions */
/** @typedef {import('./inspect/inspect.js').Beside} Beside */
/** @typedef {import('./inspect/inspect.js').InspectOptions} InspectOptions */
/** @typedef {import('./inspect/inspect.js').Model} Model */
/** @typedef {import('./inspect/inspect.js').ModelBase} ModelBase */
/** @typedef {import('./inspect/inspect.js').Reach} Reach */
/** @typedef {import('./inspect/inspect.js').Page} Page */
/** @typedef {import('./inspect/model.js').QuestionOptions} QuestionOptions */
/** @typedef {import('./inspect/values.js').Values} Values */
/** @typedef {import('./inspect/values.js').ValuesOptions} ValuesOptions */
/** @typedef {import('./worker/page.js').ModelInWorker} ModelInWorker */
