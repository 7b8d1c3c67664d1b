import { createWriteStream, fstatSync } from 'node:fs'
import type { TextSink } from '../run/outcome.ts'

/**
 * stdout of the process. For a file it is a stream of our own: when the disk is full, Node's own counts a partial write
 * as complete (lib/internal/fs/sync_write_stream.js), and the command would end with 0.
 */
export function openStdout(): TextSink {
  return fstatSync(1).isFile() ? createWriteStream('', { fd: 1, autoClose: false }) : process.stdout
}
