/** Whether an item can be browsed: a directory, or a single page. */
export function isSite({ files, mimetype }: { files: number | null; mimetype: string }): boolean {
  return files !== null || mimetype.split(';')[0]?.trim().toLowerCase() === 'text/html'
}
