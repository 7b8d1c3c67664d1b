import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { importFile } from 'ipfs-unixfs-importer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFile } from '../kit/store-files.ts'
import { storeContent } from '../kit/write-content.ts'
import { contentOf, type DigestTask } from './digests-page.ts'
import type { Engine } from './engine-page.ts'
import { ENGINES } from './engines.ts'

/** Three chunks and a piece. */
const SIZE = 3 * 2 ** 20 + 12_345
const ON_IPFS = randomBytes(2 * 2 ** 20 + 17)
const ON_CHAIN = randomBytes(40_000)

/** As the package's own condition `browser` does. */
const WITHOUT_FILES: Plugin = {
  name: 'no-node-files',
  setup: (build) =>
    build.onResolve({ filter: /\/node-files\.ts$/ }, () => ({
      path: fileURLToPath(new URL('../../client/no-node-files.ts', import.meta.url)),
    })),
}

let worker: RunningWorker
let pages: PageServer
let address: string

beforeAll(async () => {
  pages = await startPageServer()
  worker = await startWorker({ variables: { CONSOLE_ORIGINS: pages.origin } })
  const task: DigestTask = {
    api: worker.url,
    token: await signUp(worker, 'ada@example.com'),
    cid: await storeFile(worker.miniflare, ON_IPFS),
    blockchain: 'Nativecoin',
    txids: storeContent(worker, 'Nativecoin', ON_CHAIN),
    size: SIZE,
  }
  const script = `
    import { findDigests } from './digests-page.ts'
    findDigests(${JSON.stringify(task)})
      .catch((error) => ({ failed: String(error.stack) }))
      .then((digests) => { document.querySelector('output').textContent = JSON.stringify(digests) })`
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    loader: { '.wasm': 'binary' },
    plugins: [WITHOUT_FILES],
  })
  const url = pages.serve({ body: outputFiles[0]?.text ?? '', type: 'text/javascript' })
  address = pages.serve({ body: `<!doctype html><output></output><script type="module" src="${url}"></script>` })
})
afterAll(async () => {
  await worker.close()
  await pages.close()
})

/** What the page writes once it has done all of it. */
async function digestsOf(opening: Promise<Engine>): Promise<string> {
  const { page, close } = await opening
  try {
    await page.goto(address)
    await page.see('output', '"')
    return String(await page.read('document.body.innerText'))
  } finally {
    await close()
  }
}

describe('what is read and uploaded in a browser', () => {
  it.each(ENGINES)('command 35: has the digests of the bytes themselves in %s', async (_, open) => {
    const { ipfs, chain, uploaded } = parse(await digestsOf(open()))
    expect({ ipfs, chain }).toEqual({ ipfs: digestOf(ON_IPFS), chain: digestOf(ON_CHAIN) })
    const db = await worker.miniflare.getD1Database('DB')
    const item = await db.prepare('SELECT cid, size FROM items WHERE id = ?').bind(uploaded).first()
    expect(item).toEqual({ cid: await cidOf(contentOf(SIZE)), size: SIZE })
  })
})

function parse(text: string): Record<string, unknown> {
  const { failed, ...digests }: Record<string, unknown> = JSON.parse(text)
  if (failed !== undefined) throw new Error(String(failed))
  return digests
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function cidOf(content: Uint8Array): Promise<string> {
  const { cid } = await importFile({ content }, { put: async (each) => each }, { profile: 'unixfs-v1-2025' })
  return cid.toString()
}
