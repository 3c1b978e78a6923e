/** What the examples of the READMEs and docs have from elsewhere. */
declare const file: File;
declare const files: [File, ...File[]];
declare const [url, key, token, presignedUrl, urlWithSas, entraToken, accessKeyId, secretAccessKey]: string[];
declare const myStore: {
  get(key: string, offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  size(key: string): Promise<number>;
};

declare module '*.wasm';
declare module '@rollup/plugin-node-resolve';
declare module '@web/rollup-plugin-import-meta-assets';
declare module 'aws4fetch' {
  export class AwsClient {
    constructor(options: {
      accessKeyId: string;
      secretAccessKey: string;
      service?: string;
      region?: string;
      retries?: number;
    });
    fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  }
}
declare module 'fzstd' {
  export function decompress(bytes: Uint8Array): Uint8Array;
}

declare module '@aws-sdk/client-s3' {
  export class S3Client {
    constructor(options: object);
    send(command: GetObjectCommand, options?: { abortSignal?: AbortSignal }): Promise<object>;
  }
  export class GetObjectCommand {
    constructor(input: { Bucket: string | undefined; Key: string | undefined; Range?: string });
  }
}
