import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'

const run = promisify(execFile)
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** A program of a user, which names what the package is used for by its types. */
const PROGRAM = `
import {
  type BlockStore, type Client, createClient, ApiError, type ErrorCode, fileStateStore, HooklineError, type Item, itemState, type Json,
  type ItemState, type PutResult, readIpfs, ReaderError, type ReaderErrorCode, type StreamedContent, TooDearError,
} from 'hookline'
import { HooklineContent, setApi } from 'hookline/element'
import { type FillResult, type Hook, hook } from 'hookline/hook'

const client: Client = createClient({ api: 'https://api.example', key: async () => 'key', state: fileStateStore(), retries: 2 })
const content: StreamedContent = { size: 3, stream: () => new Blob(['abc']).stream() }
export async function store(signal: AbortSignal): Promise<string> {
  const result: PutResult = await client.put({ path: 'a.txt', content }, { to: 'Bitcoin', pay: 'balance', maxFee: '0.1', signal })
  const first: Item | undefined = result.items[0]
  const state: ItemState | undefined = first && itemState(first)
  const { body } = await client.request({ method: 'GET', path: '/v0/user', signal })
  const answer: Json | undefined = body
  const kind: 'text' | undefined = typeof answer === 'string' ? 'text' : undefined
  const words: string[] = []
  for await (const { kind: moved } of client.payments.ledger({ signal })) if (moved === 'refund') words.push(moved)
  for await (const withdrawal of client.withdrawals.list({ signal })) if (withdrawal.state === 'held') words.push('held')
  for await (const { id } of client.orders.list({ signal })) await client.orders.delete(id, { signal })
  const { problems } = await client.items.problems(result.ids[0] ?? '', { signal })
  const line: number | undefined = problems[0]?.line
  for await (const { type, data } of client.events({ signal })) {
    if (type === 'item.stored' && typeof data === 'string') return data
  }
  return \`\${state} \${line} \${kind} \${words} \${(await client.items.receipt('1')).amount}\`
}
export function explain(error: unknown): string {
  if (error instanceof TooDearError) return error.maxFee
  const limit: Json | undefined = error instanceof ApiError ? error.details.limit : undefined
  if (typeof limit === 'number') return String(limit)
  const why: ReaderErrorCode | undefined = error instanceof ReaderError ? error.code : undefined
  if (why === 'not_verified' || !(error instanceof HooklineError)) return why ?? ''
  const code: ErrorCode = error.code
  return code === 'insufficient_balance' || code === 'network' ? 'wait' : code
}
const blocks = new Map<string, Uint8Array>()
const kept: BlockStore = {
  get: async (cid) => blocks.get(cid.toString()),
  put: async (cid, bytes) => void blocks.set(cid.toString(), bytes),
}
export const read = async (cid: string) => (await readIpfs(cid, { api: 'https://api.example', store: kept })).text()
setApi('https://api.example')
export const isOurs = (element: Element) => element instanceof HooklineContent && element.src
const filler: Hook = hook({ api: 'https://api.example' })
export const fill = async (): Promise<FillResult[]> => filler('Bitcoin', document)
// @ts-expect-error 'balance' is a word, and no other
void client.put({ path: 'a', content: 'a' }, { to: 'Bitcoin', pay: 'Balance' })
`

let folder: string

beforeAll(async () => {
  await buildPackage()
  folder = await mkdtemp(join(tmpdir(), 'hookline-types-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: here('../../client') })
  const [packed]: { filename: string }[] = JSON.parse(stdout)
  await mkdir(join(folder, 'app'))
  await writeFile(join(folder, 'app/package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'app/program.ts'), PROGRAM)
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--offline']
  await run('npm', [...install, join(folder, packed?.filename ?? '')], { cwd: join(folder, 'app') })
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

it.each([
  ['bundler', 'esnext'],
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
])('27.14: types hold for a program by %s, with all declarations checked', async (moduleResolution, module) => {
  const compilerOptions = {
    ...{ module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'] },
    ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
  }
  await writeFile(join(folder, 'app/tsconfig.json'), JSON.stringify({ compilerOptions, include: ['program.ts'] }))
  const compiling = run(here('../../node_modules/.bin/tsc'), ['-p', '.'], { cwd: join(folder, 'app') })
  const output = await compiling.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(output).toBe('')
})

it('27.14: no type that is published is unknown, or anything', async () => {
  const types = join(folder, 'app/node_modules/hookline/dist/types')
  const found: string[] = []
  for (const name of await readdir(types, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const text = (await readFile(join(types, name), 'utf8')).replace(/\/\*[\s\S]*?\*\//g, '')
    // One word of a state, of the resolver's, is 'unknown'.
    for (const line of text.split('\n'))
      if (/\b(unknown|any)\b/.test(line.replaceAll("'unknown'", ''))) found.push(`${name}: ${line.trim()}`)
  }
  expect(found).toEqual([])
})
