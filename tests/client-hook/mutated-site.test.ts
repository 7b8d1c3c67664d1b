import fc from 'fast-check'
import type { CID } from 'multiformats/cid'
import { beforeAll, expect, it, vi } from 'vitest'
import type { Content } from '../../client-hook/content.ts'
import { answerSite } from '../../client-hook/frames/answer-site.ts'
import { parseShellMessage } from '../../client-hook/frames/parse-message.ts'
import { SitePages } from '../../client-hook/frames/site-pages.ts'
import { DagBounds } from '../../client-hook/ipfs/dag-bounds.ts'
import { GuardedBlocks } from '../../client-hook/ipfs/guarded-blocks.ts'
import { readGuarded } from '../../client-hook/ipfs/read-guarded.ts'
import { type ReadBlocks, readSite } from '../../client-hook/ipfs/read-site.ts'
import { type AskForPath, Reading } from '../../client-hook/ipfs/reading.ts'
import { createSha256 } from '../../client-hook/sha256.ts'
import { blockHashes } from '../../reader/ipfs/block-hashes.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'

/** `npm run test:large` takes all of them, the test of every change a part. */
const RUNS = Number(process.env.MUTATIONS ?? 1500)
const hashes = blockHashes(createSha256(async () => Promise.reject(new Error('There is crypto.subtle.'))))
const signal = new AbortController().signal

/** Of two sites with the same paths: whatever is shown of the first must not be of the second. */
const filesOf = (name: string) => ({
  'index.html': `<title>${name}</title>`,
  'app.js': `load('${name}');`.repeat(300),
  'folder/index.html': `<h1>${name}</h1>`,
  '404.html': `<p>${name} has nothing here`,
})
const FILES: Record<string, string> = filesOf('mine')
const blocks = new TestBlocks()
let mine: CID
let theirs: CID

beforeAll(async () => {
  vi.stubGlobal('SITE_SCRIPT', '')
  const store = (files: Record<string, string>) =>
    importFiles(
      blocks,
      Object.entries(files).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) })),
    )
  mine = await store(FILES)
  theirs = await store(filesOf('theirs'))
})

const share = fc.double({ min: 0, max: 0.999, noNaN: true })
/** What becomes of a body on its way. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('byte' as const), at: share, xor: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constantFrom('cut', 'longer', 'order', 'twice'), at: share }),
  fc.record({ kind: fc.constantFrom('whole', 'empty', 'earlier', 'other root', 'missing', 'busy') }),
)
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never

/** A source that alters what it sends, one after the other, and then sends what is right. */
function mutatedSource(mutations: readonly Mutation[]): AskForPath {
  const server = ipfsServer(blocks)
  const left = [...mutations]
  const sent: Uint8Array[] = []
  const fetch = async (path: string) => {
    const response = await server.fetch(`http://host.test${path}`)
    if (!response.ok) throw new ReaderError('not_found', 'There is no such block.')
    return new Uint8Array(await response.arrayBuffer())
  }
  return async (path) => {
    const how = left.shift() ?? { kind: 'whole' as const }
    const body = await fetch(how.kind === 'other root' ? path.replace(String(mine), String(theirs)) : path)
    const chunks = mutate(body, how, sent)
    sent.push(body)
    return {
      chunks,
      async refuse(error) {
        throw error
      },
    }
  }
}

function mutate(body: Uint8Array, how: Mutation, earlier: readonly Uint8Array[]): Uint8Array[] {
  const at = 'at' in how ? Math.floor(how.at * body.length) : 0
  const [head, tail] = [body.subarray(0, at), body.subarray(at)]
  if ('xor' in how) return [body.with(at, (body[at] ?? 0) ^ how.xor)]
  switch (how.kind) {
    case 'cut':
      return [head]
    case 'longer':
      return [body, tail]
    case 'order':
      return [tail, head]
    case 'twice':
      return [head, head, tail]
    case 'empty':
      return []
    case 'earlier':
      return [earlier.at(-1) ?? body]
    case 'missing':
      throw new ReaderError('not_found', 'The source says that it has nothing.')
    case 'busy':
      throw new ReaderError('network', 'The source answers 503.')
    default:
      return [body]
  }
}

function openPage(ask: AskForPath, names: string[]): Promise<Content> {
  const bounds = new DagBounds()
  const limits = { reload: false, maxCarBytes: 1 << 24, onProgress() {} }
  const readBlocks: ReadBlocks = async (plan, use) => {
    const reading = new Reading(ask, hashes, limits, { refused: false })
    reading.expect(plan)
    const guarded = new GuardedBlocks((cid) => reading.get(cid), hashes, bounds)
    return await readGuarded(guarded, (next) => reading.expect(next), signal, use)
  }
  const open = (to: string[]) => openPage(ask, to)
  return readSite(readBlocks, { root: mine, names, mediaType: undefined, complete: false, open })
}

const text = fc.oneof(
  fc.constantFrom(...Object.keys(FILES), 'folder', '', 'none.html', '../app.js', '%', '//'),
  fc.string(),
)
/** A request of a frame, as it is, altered, or of another form. */
const message = fc.record({
  ask: fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        method: fc.oneof({ weight: 5, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.string() }),
        path: text.map((path) => `/${path}`),
        range: fc.oneof(
          fc.constant(null),
          fc.tuple(fc.nat(9000), fc.nat(9000)).map(([from, to]) => `bytes=${from}-${to}`),
          fc.string(),
        ),
        isPage: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.anything() },
  ),
})

/** What may be shown with a status: a file of the site or, of 206, a part of one; else what the helper says itself. */
function isVerified(status: number, body: string, path: string): boolean {
  if (status === 206) return Object.values(FILES).some((file) => file.includes(body))
  const [asked = ''] = path.slice(1).split(/[?#]/)
  const found = [asked, `${asked.replace(/\/?$/, '/')}index.html`, `${asked}index.html`].map(
    (one) => FILES[one.replace(/^\/+/, '')],
  )
  if (status === 200) return found.includes(body)
  if (status === 404 && body === FILES['404.html']) return true
  return !body.includes('theirs') && !body.includes('<script')
}

it('shows nothing but verified bytes of its own site, whatever the sources send and the frame asks', {
  timeout: 600_000,
}, async () => {
  let [shown, failed] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutation, { maxLength: 6 }),
      fc.array(message, { minLength: 1, maxLength: 4 }),
      async (mutations, messages) => {
        const ask = mutatedSource(mutations)
        const content = await openPage(ask, []).catch(() => undefined)
        if (!content) {
          failed++
          return
        }
        expect(new TextDecoder().decode(content.bytes)).toBe(FILES['index.html'])
        const pages = new SitePages(content, () => {})
        for (const sent of messages) {
          const said = parseShellMessage(sent)
          if (!said || !('ask' in said)) continue
          const { status, body } = await answerSite(said.ask, pages, [])
          const answered = new TextDecoder().decode(body ?? new ArrayBuffer())
          if (status === 200 || status === 206) shown++
          if (body)
            expect([status, answered, said.ask.path]).toSatisfy(([code, words, path]) => isVerified(code, words, path))
        }
      },
    ),
    { numRuns: RUNS },
  )
  // Neither all that was sent was refused, nor nothing.
  expect(Math.min(shown, failed)).toBeGreaterThan(RUNS / 20)
})
