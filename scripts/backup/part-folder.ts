import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { appendFile, mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** One line for each part, as `sha256sum --check` reads them. */
const SUMS = 'SHA256SUMS'

/** A copy is not what it was when it was written, or not a copy at all. */
export class CopyError extends Error {
  override name = 'CopyError'
}

/** What every part of a copy goes through before it is written. */
export interface Sealing {
  /** Behind the name of a file. */
  suffix: '' | '.age'
  seal: (content: Readable) => Promise<Readable>
}

/** Writes parts as they are. */
export const PLAIN: Sealing = { suffix: '', seal: async (content) => content }

/** Opens a part again. @throws where the key is not that of the recipient, or the part was changed */
export type Open = (content: Readable) => Promise<Readable>

/** A folder of files whose SHA-256 are written down beside them. A file that has its line is whole. */
export interface PartFolder {
  has(name: string): boolean
  /** Writes a part, and then its line. A part of that name is replaced. */
  write(name: string, content: Readable, sealing: Sealing): Promise<void>
  /** @throws {CopyError} where the part is missing or was changed */
  read(name: string, open: Open | undefined): Promise<Readable>
}

export async function openPartFolder(folder: string): Promise<PartFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = await readFile(join(folder, SUMS), 'utf8').catch(() => '')
  // Of two lines the later is that of the file; one that was cut off has no part.
  const lines = text.matchAll(/^([0-9a-f]{64}) {2}(\S+)\n/gm)
  const sums = new Map([...lines].map(([, sum = '', name = '']) => [name, sum]))
  return {
    has: (name) => sums.has(name),
    write: async (name, content, { seal }) => {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const hash = createHash('sha256')
      await pipeline(
        await seal(content),
        new Transform({
          transform(part: Buffer, _, done) {
            hash.update(part)
            done(null, part)
          },
        }),
        createWriteStream(`${path}.part`, { mode: 0o600, flush: true }),
      )
      await rename(`${path}.part`, path)
      const sum = hash.digest('hex')
      await appendFile(join(folder, SUMS), `${sum}  ${name}\n`, { mode: 0o600 })
      sums.set(name, sum)
    },
    read: async (name, open) => {
      const path = join(folder, name)
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash).catch((cause) => {
        throw new CopyError(`${path} cannot be read.`, { cause })
      })
      if (hash.digest('hex') !== sums.get(name))
        throw new CopyError(`${path} is not what was written: its SHA-256 is not that of ${SUMS}. Use another copy.`)
      const stream = createReadStream(path)
      if (open) return await open(stream)
      if (name.endsWith('.age')) throw new CopyError(`${path} is encrypted: name the file of your key with --identity.`)
      return stream
    },
  }
}
