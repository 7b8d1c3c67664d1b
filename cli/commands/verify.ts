import { open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CID } from 'multiformats/cid'
import { readIpfs, readIpfsDirectory } from '../../client/read-ipfs.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { openService } from '../account/open-account.ts'
import { chooseFiles } from '../content/read-content.ts'
import { ipfsReader } from '../read/ipfs-reader.ts'
import { compareWithLocal } from '../read/local-blocks.ts'
import { readChain } from '../read/read-chain.ts'
import { readName } from '../read/read-name.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Outcome } from '../run/outcome.ts'

type Answer = 'same' | 'different' | 'incomplete'

export async function run(context: Context): Promise<Outcome> {
  const { line, keep } = context
  const path = resolve(line.word(0))
  const facts = await stat(path).catch(() => undefined)
  if (!facts) throw usageError(`There is no file ${JSON.stringify(line.word(0))}.`)
  const name = await readName(context, line.word(1))
  if (name.kind === 'item')
    throw usageError(
      'An id is what a service says; verify takes txids or a CID.',
      'hookline get shows which an id stands for.',
    )
  const { api } = await openService(context)
  keep('Looking changes nothing.')
  const differences: string[] = []
  let answer: Answer
  try {
    if (name.kind === 'txids') {
      if (!facts.isFile()) throw usageError(`${line.word(0)} is a folder; transactions hold a file.`)
      const { bytes, remove } = await readChain(context, api, name.txids)
      answer = (await isFileOf(path, facts.size, bytes)) ? 'same' : 'different'
      await remove()
    } else if (facts.isDirectory()) {
      differences.push(...(await compareFolder(context, api, name.cid, path)))
      answer = differences.length === 0 ? 'same' : 'different'
    } else answer = await compareFile(context, api, name.cid, { path, size: facts.size })
  } catch (error) {
    if (!(error instanceof ReaderError && INCOMPLETE.has(error.code))) throw error
    return told(context, 'incomplete', [error.message])
  }
  return told(context, answer, differences)
}

/** Codes of what could not be fetched: then nobody knows. */
const INCOMPLETE = new Set(['not_found', 'network', 'timeout', 'unavailable', 'incomplete', 'invalid_car'])

async function compareFile(
  context: Context,
  api: URL,
  cid: string,
  local: { path: string; size: number },
): Promise<Answer> {
  const { fetch } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  try {
    const file = await readIpfs(cid, { api, fetch, signal })
    const reader = ipfsReader(context, api)
    return (await compareWithLocal(reader, CID.parse(file.cid), local, { untilMissing: false })).answer
  } finally {
    // Only its root was needed; the rest of the download would keep the process.
    ending.abort()
  }
}

/** Files of a folder that are compared. */
const MAX_FILES = 10_000

async function compareFolder(context: Context, api: URL, cid: string, folder: string): Promise<string[]> {
  const { fetch, signal, output } = context
  const chosen = await chooseFiles(context, folder, context.line.word(0), { maxFiles: MAX_FILES })
  const left = new Set(chosen.files.map(({ path }) => path))
  const differences: string[] = []
  let done = 0
  for await (const file of readIpfsDirectory(cid, { api, fetch, signal })) {
    left.delete(file.path)
    const path = join(folder, file.path)
    const facts = await stat(path).catch(() => undefined)
    if (!facts?.isFile()) differences.push(`${file.path} is missing here`)
    else {
      const { answer } = await compareWithLocal(
        ipfsReader(context, api),
        CID.parse(file.cid),
        { path, size: facts.size },
        { untilMissing: false },
      )
      if (answer !== 'same') differences.push(`${file.path} differs`)
    }
    output.step({ step: 'comparing', done: ++done, unit: 'files' })
  }
  output.endStep()
  for (const path of left) differences.push(`${path} is here only`)
  return differences
}

/** Compares piece by piece; the file itself is never in memory as a whole. */
async function isFileOf(path: string, size: number, bytes: Uint8Array): Promise<boolean> {
  if (size !== bytes.length) return false
  const file = await open(path)
  try {
    let position = 0
    for await (const piece of file.createReadStream()) {
      if (!Buffer.isBuffer(piece) || Buffer.compare(piece, bytes.subarray(position, position + piece.length)) !== 0)
        return false
      position += piece.length
    }
    return position === bytes.length
  } finally {
    await file.close()
  }
}

function told({ line }: Context, answer: Answer, problems: string[]): Outcome {
  const result = { file: line.word(0), name: line.word(1), answer, differences: problems }
  if (answer === 'same') return { result, text: ['same'] }
  const [exitCode, code, message] =
    answer === 'different'
      ? ([EXIT.notVerified, 'different', `${line.word(0)} is not what ${line.word(1).slice(0, 80)} names.`] as const)
      : ([
          EXIT.temporary,
          'incomplete',
          'Not everything could be fetched, so nobody knows whether it is the same.',
        ] as const)
  return { result, text: [answer], exitCode, error: { code, message, problems } }
}
