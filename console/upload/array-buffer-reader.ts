/**
 * Reads a file for tus-js-client in parts that are ArrayBuffers: a request whose body is a Blob on disk never ends in
 * some versions of Safari, and one path for all browsers keeps memory flat. The client counts a part by its `size`.
 */
export const arrayBufferReader = {
  async openFile(file: unknown) {
    if (!(file instanceof Blob)) throw new TypeError('only files can be uploaded')
    return {
      size: file.size,
      async slice(start: number, end: number) {
        const bytes = await file.slice(start, end).arrayBuffer()
        return { value: Object.assign(bytes, { size: bytes.byteLength }), done: end >= file.size }
      },
      close() {},
    }
  },
}
