/** Whether an item is something to browse: a directory, or a page by itself. */
export function isSite({ files, mimetype }: { files: number | null; mimetype: string }): boolean {
  return files !== null || mimetype.split(';')[0]?.trim().toLowerCase() === 'text/html'
}
