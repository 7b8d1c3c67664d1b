import { createWriteStream, fstatSync } from 'node:fs'
import type { TextSink } from '../run/outcome.ts'

/**
 * stdout of the process. Into a file it is a stream of ours: Node's own takes what a full disk left out of a write as
 * written (lib/internal/fs/sync_write_stream.js), and the command would end with 0.
 */
export function openStdout(): TextSink {
  return fstatSync(1).isFile() ? createWriteStream('', { fd: 1, autoClose: false }) : process.stdout
}
