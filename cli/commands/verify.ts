import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { IpfsDirectoryFile } from '../../client/read-ipfs.ts'
import { MAX_ESTIMATED_FILES } from '../../contract/limits.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { openService } from '../account/open-account.ts'
import { chooseFiles } from '../content/read-content.ts'
import { siteIn } from '../read/chain-site.ts'
import { compareFolder, compareSite, INCOMPLETE, isFileOfBytes, isFileOfCid } from '../read/compare-content.ts'
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
      'An id is assigned by a service and proves nothing. Give txids or a CID.',
      'hookline get prints those of an id.',
    )
  const { api } = await openService(context)
  keep('Nothing was changed.')
  const differences: string[] = []
  let answer: Answer
  try {
    if (name.kind === 'txids') {
      const { bytes, remove } = await readChain(context, api, name.txids)
      const site = await siteIn(context, bytes, name.path)
      if (!site && !facts.isFile())
        throw usageError(`${line.word(0)} is a folder, but the transactions contain one file.`)
      if (site) differences.push(...(await compareWithSite(context, site, { path, facts })))
      const same = site ? differences.length === 0 : await isFileOfBytes({ path, size: facts.size }, bytes)
      answer = same ? 'same' : 'different'
      await remove()
    } else if (facts.isDirectory()) {
      const { files } = await chooseFiles(context, path, line.word(0), MAX_ESTIMATED_FILES)
      const chosen = files.map((file) => file.path)
      differences.push(...(await compareFolder(context, api, name.cid, { folder: path, chosen })))
      answer = differences.length === 0 ? 'same' : 'different'
    } else {
      const same = await isFileOfCid(context, api, name.cid, { path, size: facts.size })
      answer = same ? 'same' : 'different'
    }
  } catch (error) {
    if (!(error instanceof ReaderError && INCOMPLETE.has(error.code))) throw error
    return told(context, 'incomplete', [error.message])
  }
  return told(context, answer, differences)
}

/** The differences between a local file or folder and one of a website on a chain. */
async function compareWithSite(
  context: Context,
  site: AsyncGenerator<IpfsDirectoryFile>,
  { path, facts }: { path: string; facts: Stats },
): Promise<string[]> {
  const word = context.line.word(0)
  if (facts.isDirectory()) {
    const { files } = await chooseFiles(context, path, word, MAX_ESTIMATED_FILES)
    return compareSite(context, site, { folder: path, chosen: files.map((file) => file.path) })
  }
  const { value: file } = await site.next()
  if (file?.path !== '') return [`${word} is a file, but the name is that of a folder`]
  return (await isFileOfBytes({ path, size: facts.size }, await file.bytes())) ? [] : [`${word} differs`]
}

/** What the result `same` proves, and what it does not. */
const PROVES = 'The txids or the CID identify exactly these bytes: every transaction or block was hashed here.'
const PROVES_NOT =
  'This does not prove that the transactions are mined or have confirmations, nor that others store the blocks. Ask the service with hookline status.'

function told({ line, output }: Context, answer: Answer, problems: string[]): Outcome {
  const result = {
    file: line.word(0),
    name: line.word(1),
    answer,
    differences: problems,
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
  return { result, text: [answer], exitCode, error: { code, message, problems } }
}
