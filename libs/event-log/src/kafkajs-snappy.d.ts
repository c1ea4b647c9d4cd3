declare module 'kafkajs-snappy' {
  function createCodec(): {
    compress(encoder: { buffer: Buffer }): Promise<Uint8Array>;
    decompress(buffer: Buffer): Promise<Uint8Array>;
  };
  export = createCodec;
}
