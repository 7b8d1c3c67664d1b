import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { IpfsDirectoryEntry } from '../../client/read-ipfs.ts'
import { MAX_ESTIMATED_FILES } from '../../contract/limits.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { openService } from '../account/open-account.ts'
import { chooseFiles, describeSkipped } from '../content/read-content.ts'
import { siteIn } from '../read/chain-site.ts'
import {
  compareFolder,
  compareSite,
  type FolderComparison,
  INCOMPLETE,
  isFileOfBytes,
  isFileOfCid,
  type LocalBytes,
} from '../read/compare-content.ts'
import { readChain } from '../read/read-chain.ts'
import { readName } from '../read/read-name.ts'
import { readOthers } from '../read/read-others.ts'
import { verifySaved } from '../read/verify-saved.ts'
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
  if (line.words.length < 2) {
    if (path.endsWith('.hookline') && facts.isFile()) return await verifySaved(context, path)
    throw usageError('Give the txids or the CID to compare with, or a file .hookline of hookline prove.')
  }
  const name = await readName(context, line.word(1))
  if (name.kind === 'item')
    throw usageError(
      'An id is assigned by a service and proves nothing. Give txids or a CID.',
      'hookline get prints those of an id.',
    )
  const { api } = await openService(context)
  keep('Nothing was changed.')
  const local = async () => {
    const listing = await chooseFiles(context, path, line.word(0), MAX_ESTIMATED_FILES)
    return { folder: path, ...listing }
  }
  let found: FolderComparison = { differences: [], notCompared: [] }
  let answer: Answer
  try {
    if (name.kind === 'txids') {
      const { bytes, remove } = await readChain(context, api, name.txids)
      const site = await siteIn(context, bytes, name.path)
      if (!site && !facts.isFile())
        throw usageError(`${line.word(0)} is a folder, but the transactions contain one file.`)
      if (site)
        found = facts.isDirectory()
          ? await compareSite(context, site, await local())
          : { ...found, differences: await compareWithFile(context, site, { path, size: facts.size }) }
      const same = site ? found.differences.length === 0 : await isFileOfBytes({ path, size: facts.size }, bytes)
      answer = same ? 'same' : 'different'
      await remove()
    } else if (name.kind === 'named') {
      if (!facts.isFile()) throw usageError(`${line.word(0)} is a folder, and this names one file.`)
      const { bytes } = await readOthers(context, api, name.name)
      answer = (await isFileOfBytes({ path, size: facts.size }, bytes)) ? 'same' : 'different'
    } else if (facts.isDirectory()) {
      found = await compareFolder(context, api, name.cid, await local())
      answer = found.differences.length === 0 ? 'same' : 'different'
    } else {
      const same = await isFileOfCid(context, api, name.cid, { path, size: facts.size })
      answer = same ? 'same' : 'different'
    }
  } catch (error) {
    if (!(error instanceof ReaderError && INCOMPLETE.has(error.code))) throw error
    return told(context, 'incomplete', { differences: [error.message], notCompared: [] })
  }
  return told(context, answer, found)
}

/** The differences between a local file and one of a website on a chain. */
async function compareWithFile(
  { line }: Context,
  site: AsyncGenerator<IpfsDirectoryEntry>,
  local: LocalBytes,
): Promise<string[]> {
  const { value: entry } = await site.next()
  if (entry?.kind !== 'file' || entry.path !== '')
    return [`${line.word(0)} is a file, but the name is that of a folder`]
  return (await isFileOfBytes(local, await entry.bytes())) ? [] : [`${line.word(0)} differs`]
}

/** What the result `same` proves, and what it does not. */
const PROVES = 'The txids or the CID identify exactly these bytes: every transaction or block was hashed here.'
const PROVES_NOT =
  'This does not prove that the transactions are mined or have confirmations, nor that others store the blocks. Ask the service with hookline status.'

function told({ line, output }: Context, answer: Answer, { differences, notCompared }: FolderComparison): Outcome {
  if (notCompared.length > 0) output.note('Neither in the name nor compared, because put leaves it out:')
  for (const sentence of describeSkipped(notCompared).slice(1)) output.note(sentence)
  const result = {
    file: line.word(0),
    name: line.word(1),
    answer,
    differences,
    notCompared: notCompared.map(({ path: one, why }) => ({ path: one, why })),
    proves: PROVES,
    provesNot: PROVES_NOT,
  }
  if (answer === 'same') {
    output.note(`${PROVES} ${PROVES_NOT}`)
    return { result, text: ['same'] }
  }
  const [exitCode, code, message] =
    answer === 'different'
      ? ([EXIT.notVerified, 'different', `${line.word(0)} is not what ${line.word(1).slice(0, 80)} names.`] as const)
      : ([
          EXIT.temporary,
          'incomplete',
          'Some content could not be downloaded, so the comparison is incomplete. Try again later.',
        ] as const)
  return { result, text: [answer], exitCode, error: { code, message, problems: differences } }
}
