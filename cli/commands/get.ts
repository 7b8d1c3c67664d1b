import { basename, dirname, resolve } from 'node:path'
import { counted } from '../../client/counted.ts'
import { readIpfs, readIpfsEntries } from '../../client/read-ipfs.ts'
import { isBlockchain } from '../../protocol/chains.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { openService } from '../account/open-account.ts'
import { siteIn } from '../read/chain-site.ts'
import { getBytes, getFile, makeFolder } from '../read/get-file.ts'
import { getSite, type Place, toStdout, type WrittenTree, writeTree } from '../read/get-site.ts'
import { ipfsReader } from '../read/ipfs-reader.ts'
import type { ContentName } from '../read/parse-name.ts'
import { readChain } from '../read/read-chain.ts'
import { readName } from '../read/read-name.ts'
import { readOthers } from '../read/read-others.ts'
import { resolveItem } from '../read/resolve-item.ts'
import { writeToStdout } from '../read/write-to-stdout.ts'
import { usageError } from '../run/command-error.ts'
import { commandLine } from '../run/command-line.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, output, keep } = context
  const name = await readName(context, line.word(0))
  const given = line.value('output')
  if (output.mode !== 'text' && (given === '-' || (given === undefined && name.kind !== 'item'))) {
    throw usageError('With --json, stdout is used for the JSON.', 'Name the file to write with -o.')
  }
  const { api, client } = await openService(context)
  keep(`What was verified is kept. To resume: ${commandLine(context)}`)
  if (name.kind !== 'item') return fetchContent(context, api, name, placeOf(given), undefined)
  const named = await resolveItem(context, client, name.id)
  const place = given === undefined ? { path: resolve(safeName(named.filename ?? name.id)) } : placeOf(given)
  return fetchContent(context, api, named.content, place, named)
}

const placeOf = (given: string | undefined): Place =>
  given === undefined || given === '-' ? 'stdout' : { path: resolve(given) }

/**
 * The last segment of a name from a service, so that it cannot leave the current folder, is not hidden and does not
 * look like an option.
 */
function safeName(text: string): string {
  const name = basename(text.replaceAll('\\', '/'))
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/^[.-]+/, '')
  return name === '' ? 'content' : name
}

type Named = Awaited<ReturnType<typeof resolveItem>> | undefined

async function fetchContent(
  context: Context,
  api: URL,
  name: ContentName,
  place: Place,
  named: Named,
): Promise<Outcome> {
  if (name.kind === 'txids') return fetchChain(context, api, name, place, named)
  if (name.kind === 'ipfs') return fetchIpfs(context, api, name.cid, place)
  if (name.kind === 'named') return fetchOthers(context, api, name.name, place)
  throw usageError('The service returned another id instead of txids or a CID.')
}

async function fetchChain(
  context: Context,
  api: URL,
  { txids, path }: { txids: readonly string[]; path: string },
  place: Place,
  named: Named,
): Promise<Outcome> {
  const chain = named?.blockchain
  const known = chain !== undefined && isBlockchain(chain) ? chain : undefined
  const { blockchain, bytes, remove } = await readChain(context, api, txids, known)
  const source = { blockchain, txids: [...txids] }
  const force = context.line.has('force')
  const site = await siteIn(context, bytes, path)
  const written = site
    ? await getSite(context, site, place, force)
    : place === 'stdout'
      ? { files: await toStdout(context, bytes), emptyFolders: [] }
      : { files: [await getBytes(place.path, bytes, { force })], emptyFolders: [] }
  await remove()
  if (place !== 'stdout') return done(written, source)
  return onStdout(
    source,
    written.files.reduce((sum, file) => sum + file.bytes, 0),
  )
}

async function fetchOthers(context: Context, api: URL, name: string, place: Place): Promise<Outcome> {
  const { blockchain, bytes, txids } = await readOthers(context, api, name)
  const source = { blockchain, txids }
  if (place !== 'stdout') {
    const written = await getBytes(place.path, bytes, { force: context.line.has('force') })
    return done({ files: [written], emptyFolders: [] }, source)
  }
  await toStdout(context, bytes)
  return onStdout(source, bytes.length)
}

async function fetchIpfs(context: Context, api: URL, cid: string, place: Place): Promise<Outcome> {
  const { fetch, output, line } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  const onProgress = (done: number, total: number) => output.step({ step: 'reading', done, total, unit: 'bytes' })
  const options = { api, fetch, signal, onProgress }
  const source = { blockchain: 'IPFS', cid }
  try {
    try {
      const file = await readIpfs(cid, options)
      if (place === 'stdout') {
        await writeToStdout(context, file)
        return onStdout(source, file.size)
      }
      await makeFolder(dirname(place.path))
      const openAt = (offset: number) => (offset === 0 ? Promise.resolve(file) : readIpfs(cid, { ...options, offset }))
      const written = await getFile(ipfsReader(context, api), file, place.path, { force: line.has('force'), openAt })
      output.endStep()
      return done({ files: [written], emptyFolders: [] }, source)
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_a_file')) throw error
    }
    if (place === 'stdout') throw usageError(`${cid} is a directory.`, 'Name the folder to write with -o.')
    const entries = readIpfsEntries(cid, { api, fetch, signal })
    const written = await writeTree(context, entries, place.path, (file, path) => {
      const openAt = (offset: number) =>
        offset === 0 ? Promise.resolve(file) : readIpfs(file.cid, { api, fetch, signal, offset })
      return getFile(ipfsReader(context, api), file, path, { force: line.has('force'), openAt })
    })
    return done(written, source)
  } finally {
    // A download that is not read to its end would keep the process running.
    ending.abort()
  }
}

const VERB = { written: 'verified', resumed: 'verified, resumed', same: 'already the same' }

type Source = { blockchain: string; cid: string } | { blockchain: string; txids: string[] }

function onStdout(source: Source, bytes: number): Outcome {
  return { result: { source, bytes, files: [], emptyFolders: [] } }
}

function done({ files, emptyFolders }: WrittenTree, source: Source): Outcome {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const result = { source, bytes, files: files.map((file) => ({ ...file })), emptyFolders }
  const text = files.map(({ path, bytes: size, how }) => `${path}: ${counted(size, 'byte')}, ${VERB[how]}`)
  return { result, text: [...text, ...emptyFolders.map((path) => `${path}: an empty folder`)] }
}
