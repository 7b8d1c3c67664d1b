import type { DiskEvent } from './disk-model.ts'

/** Bytes before the name of an event, as `struct event` of record-files.c has them. */
const HEAD = 32

/** The events of a log of record-files.c, in their order. @throws {Error} where the log is none. */
export function* readLog(log: Buffer): Generator<DiskEvent, void> {
  for (let at = 0; at < log.length; ) {
    if (at + HEAD > log.length) throw new Error(`the log ends in an event, at ${at}`)
    const [kind, nameLength] = [log.readUInt32LE(at), log.readUInt32LE(at + 4)]
    const [inode, offset] = [log.readBigUInt64LE(at + 8), Number(log.readBigUInt64LE(at + 16))]
    const length = Number(log.readBigUInt64LE(at + 24))
    const path = log.toString('utf8', at + HEAD, at + HEAD + nameLength)
    at += HEAD + nameLength + length
    if (at > log.length) throw new Error(`the log ends in an event, before ${at}`)
    yield eventOf(kind, path, inode, offset, log.subarray(at - length, at))
  }
}

function eventOf(kind: number, path: string, inode: bigint, offset: number, bytes: Buffer): DiskEvent {
  switch (kind) {
    case 1:
    case 2:
      return { kind: 'made', path, inode, isFolder: kind === 2 }
    case 3:
      return { kind: 'wrote', inode, offset, bytes }
    case 4:
      return { kind: 'cut off', inode, size: offset }
    case 5:
      return { kind: 'renamed', path, to: bytes.toString() }
    case 6:
      return { kind: 'removed', path }
    case 7:
      return { kind: 'synced', inode }
    default:
      throw new Error(`the log has an event ${kind}`)
  }
}
