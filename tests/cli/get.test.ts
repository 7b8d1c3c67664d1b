import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { commitTo, input, transactionOf, writeEnvelope } from '../../devnet/others/write-inscription.ts'
import { encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { type IpfsServerOptions, importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'
import { type Answer, ApiServer, answerBy, type Route } from './api-server.ts'
import { User } from './run-hookline.ts'

type Fetch = (url: string, init?: RequestInit) => Promise<Response>

const onChain = (chain: string, fetch: Fetch): Route[] => [
  ['GET', new RegExp(`^/v0/tx/${chain}/`), answerBy(fetch)],
  ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
]

const CONTENT = Buffer.from('All of the letter. '.repeat(400))

async function onBitcoin(tamper?: Parameters<typeof chainServer>[1]) {
  const transactions = chainContent(brotliCompressSync(CONTENT), 20)
  const server = chainServer(transactions, tamper)
  const api = await ApiServer.start(onChain('Bitcoin', server.fetch))
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  return { api, user, server, names: transactions.map(({ txid }) => txid).join() }
}

async function onIpfs(
  content: Uint8Array,
  options: IpfsServerOptions & { rawLeaves?: boolean; cidVersion?: 0 | 1 } = {},
) {
  const blocks = new TestBlocks()
  const { rawLeaves = true, cidVersion = 1 } = options
  const cid = await importFiles(blocks, [{ content }], { rawLeaves, cidVersion })
  const server = ipfsServer(blocks, options)
  const api = await ApiServer.start([['GET', /^\/ipfs\//, answerBy(server.fetch)]])
  return { api, user: new User(api.url, { HOOKLINE_KEY: '' }), blocks, cid: cid.toString(), requests: server.requests }
}

const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, index) => (index * 7919) % 251))

it('get finds the chain of txids by itself, decodes, and needs no account', async () => {
  const { user, names } = await onBitcoin()
  expect(await user.run(['get', names, '-o', 'letter.txt'])).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('letter.txt'))).toEqual(CONTENT)
  expect((await user.run(['get', names, '--raw', '--chain', 'bitcoin'])).bytes).toEqual(brotliCompressSync(CONTENT))
})

it('get and verify read an inscription by its name, and refuse one that its output does not commit to', async () => {
  const script = writeEnvelope({ type: 'text/plain', encoding: 'gzip', body: gzipSync(CONTENT) })
  const { output, controlBlock } = commitTo(script)
  const commit = transactionOf([input({ txid: 'ab'.repeat(32), vout: 0 })], [output])
  const commitId = transactionId(encodeTransaction(commit, { witness: false }))
  const reveal = (witness: Uint8Array[]) => transactionOf([input({ txid: commitId, vout: 0 }, { witness })])
  let sent = reveal([script, controlBlock])
  const txid = transactionId(encodeTransaction(sent, { witness: false }))
  const answer = (transaction: typeof sent) => () => ({ status: 200, bytes: encodeTransaction(transaction) })
  const api = await ApiServer.start([
    ['GET', new RegExp(`^/v0/tx/Bitcoin/${txid}\\?any=1&witness=1$`), () => answer(sent)()],
    ['GET', new RegExp(`^/v0/tx/Bitcoin/${commitId}\\?any=1$`), answer(commit)],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
  ])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  expect(await user.run(['get', `${txid}i0`, '-o', 'letter.txt'])).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('letter.txt'))).toEqual(CONTENT)
  expect((await user.run(['verify', 'letter.txt', `${txid}i0`])).stdout).toContain('same')
  expect(await user.run(['get', `${txid}i1`])).toMatchObject({ code: 5 })
  sent = reveal([script.with(30, 1), controlBlock])
  const refused = await user.run(['get', `${txid}i0`])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('cannot be verified')
})

it('get refuses a folder as the name of a file before it writes, also with --force', async () => {
  const { user, names } = await onBitcoin()
  mkdirSync(user.path('letters'))
  const { code, stderr } = await user.run(['get', names, '--force', '-o', 'letters'])
  expect(code).toBe(5)
  expect(stderr).toContain(`${user.path('letters')} is a folder. It was not changed.`)
  expect(stderr).toContain('Give the name of a file in it with -o.')
  expect(existsSync(user.path('letters.part'))).toBe(false)
})

it('get ends with 74 where the last write of a file fits in part only', async () => {
  const { user, names } = await onBitcoin()
  // Two blocks of 1 KiB, as a disk that has no more.
  const { code, stderr } = await user.runInShell(['get', names], { before: 'ulimit -f 2;', behind: '> letter.txt' })
  expect(stderr).toContain('EFBIG')
  expect(code).toBe(74)
})

it('get and verify work where nothing can be written', async () => {
  const { user, names } = await onBitcoin()
  // Below a file there are no folders, for root neither.
  user.write('letter.txt', CONTENT)
  const home = user.path('letter.txt')
  const env = { HOME: home, XDG_CACHE_HOME: `${home}/cache`, XDG_STATE_HOME: `${home}/state`, XDG_CONFIG_HOME: '' }
  const { code, bytes } = await user.run(['get', names, '-o', '-'], { env })
  expect([code, bytes]).toEqual([0, CONTENT])
  expect(await user.run(['verify', 'letter.txt', names], { env })).toMatchObject({ code: 0 })
})

it('a name that a service gives never hides a file, nor looks like an option', async () => {
  const { api, user, names } = await onBitcoin()
  const source = { blockchain: 'Bitcoin', name: '-.-rf\u202etxt', txids: names.split(',') }
  api.routes.push(['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, () => ({ json: source })])
  expect(await user.run(['get', 'ab'.repeat(12)])).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('rftxt'))).toEqual(CONTENT)
})

it('get of an id prints what the service named and verifies the bytes against it', async () => {
  const { api, user, names } = await onBitcoin()
  const source = { blockchain: 'Bitcoin', name: '../../letter.txt', txids: names.split(',') }
  api.routes.push(['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, () => ({ json: source })])
  const { code, stderr } = await user.run(['get', 'ab'.repeat(12)])
  expect(code).toBe(0)
  expect(stderr).toContain('The service named these txids of Bitcoin')
  expect(stderr).toContain(names.split(',')[0])
  // The service chose the name; it leads nowhere else.
  expect(readFileSync(user.path('letter.txt'))).toEqual(CONTENT)
})

it('command 16: a file of its own name is always whole: a changed transaction leaves none, and ends with 6', async () => {
  const { user, names } = await onBitcoin((body) => {
    const changed = Uint8Array.from(body)
    changed[60] = (changed[60] ?? 0) ^ 1
    return changed
  })
  const { document } = await user.json(['get', names, '-o', 'letter.txt'])
  expect(document).toMatchObject({
    exitCode: 6,
    error: { code: 'not_verified', hint: expect.stringContaining('--api') },
  })
  expect(existsSync(user.path('letter.txt'))).toBe(false)
})

it('command 16: writes to NAME.part until the last byte of a file is verified', async () => {
  const content = bytesOf(20_000)
  const { user, cid, blocks } = await onIpfs(content, {
    tamper: (block, bytes) =>
      isLeafAt(content, bytes, 15) ? Uint8Array.from([...bytes.subarray(1), 0]) : keep(block, bytes),
  })
  expect(blocks.blocks.size).toBeGreaterThan(20)
  expect(await user.run(['get', cid, '-o', 'file'])).toMatchObject({ code: 6 })
  expect(existsSync(user.path('file'))).toBe(false)
  const part = readFileSync(user.path('file.part'))
  expect(part).toEqual(content.subarray(0, part.length))
  expect(part.length).toBeLessThanOrEqual(15_000)
})

const keep = (_cid: CID, bytes: Uint8Array) => bytes
const isLeafAt = (content: Buffer, bytes: Uint8Array, index: number) =>
  Buffer.compare(bytes, content.subarray(index * 1000, (index + 1) * 1000)) === 0

it('command 16: passes only verified pieces into a pipe, and fails at the first bad one', async () => {
  const content = bytesOf(20_000)
  const { user, cid } = await onIpfs(content, {
    tamper: (block, bytes) =>
      isLeafAt(content, bytes, 15) ? Uint8Array.from([...bytes.subarray(1), 0]) : keep(block, bytes),
  })
  const { code, bytes } = await user.run(['get', cid])
  expect(code).toBe(6)
  expect(bytes).toEqual(content.subarray(0, bytes.length))
  expect(bytes.length).toBeLessThanOrEqual(15_000)
})

it('command 17: a second get goes on from the verified part', async () => {
  const content = bytesOf(20_000)
  const { user, cid, requests } = await onIpfs(content, { car: false })
  writeFileSync(user.path('file.part'), content.subarray(0, 12_000))
  const { document } = await user.json(['get', cid, '-o', 'file'])
  expect(document.result.files).toEqual([{ path: user.path('file'), bytes: 20_000, how: 'resumed' }])
  expect(readFileSync(user.path('file'))).toEqual(content)
  // Eight leaves of a thousand bytes are missing; the root is read by each look.
  expect(new Set(requests).size).toBeLessThanOrEqual(8 + 3)
})

it('command 17: does not believe a part that was changed meanwhile', async () => {
  const content = bytesOf(20_000)
  const { user, cid } = await onIpfs(content)
  const changed = Buffer.from(content.subarray(0, 12_000))
  changed[5_500] = 255
  writeFileSync(user.path('file.part'), changed)
  expect(await user.run(['get', cid, '-o', 'file'])).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('file'))).toEqual(content)
})

it('command 17: goes on with the transactions that were verified before a cut', async () => {
  const content = bytesOf(2100)
  const transactions = chainContent(content, 1)
  const server = chainServer(transactions)
  const api = await ApiServer.start([
    ['POST', /^\/v0\/tx$/, answerBy(server.fetch)],
    ...onChain('Bitcoin', server.fetch),
  ])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  const names = transactions.map(({ txid }) => txid).join('\n')
  const args = ['get', '-', '--chain', 'bitcoin', '-o', 'file']
  api.fate = (_seen, index) => (index === 1 ? 'answer' : 'cut before')
  expect(await user.run(args, { input: names })).toMatchObject({ code: 7 })
  api.fate = () => 'answer'
  expect(await user.run(args, { input: names })).toMatchObject({ code: 0 })
  expect(server.requests.map(({ txids }) => txids.length)).toEqual([2000, 100])
  expect(readFileSync(user.path('file'))).toEqual(content)
})

it('command 17: an identical file is a success that fetches no leaf, a different one needs --force', async () => {
  const content = bytesOf(20_000)
  const { user, cid, requests } = await onIpfs(content, { car: false })
  writeFileSync(user.path('file'), content)
  const same = await user.json(['get', cid, '-o', 'file'])
  expect(same.document.result.files[0].how).toBe('same')
  expect(requests.filter((request) => !request.includes(cid))).toEqual([])
  truncateSync(user.path('file'), 19_999)
  expect((await user.json(['get', cid, '-o', 'file'])).document).toMatchObject({
    exitCode: 5,
    error: { code: 'file_exists' },
  })
  expect(readFileSync(user.path('file'))).toHaveLength(19_999)
  expect(await user.run(['get', cid, '-o', 'file', '--force'])).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('file'))).toEqual(content)
})

it('get of a directory writes its files, and again nothing', async () => {
  const blocks = new TestBlocks()
  const files = [
    { path: 'index.html', content: bytesOf(2500) },
    { path: 'sub/a.txt', content: bytesOf(10) },
  ]
  const cid = String(await importFiles(blocks, files))
  const api = await ApiServer.start([['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)]])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  expect(await user.run(['get', cid, '-o', 'site'])).toMatchObject({ code: 0 })
  for (const { path, content } of files) expect(readFileSync(user.path('site', path))).toEqual(content)
  const again = await user.json(['get', cid, '-o', 'site'])
  expect(again.document.result.files.map(({ how }: { how: string }) => how)).toEqual(['same', 'same'])
  expect((await user.json(['verify', 'site', cid])).document.result.answer).toBe('same')
  writeFileSync(user.path('site', 'extra'), 'x')
  expect((await user.json(['verify', 'site', cid])).document).toMatchObject({
    exitCode: 6,
    result: { differences: ['extra is here only'] },
  })
  expect(await user.run(['get', cid])).toMatchObject({ code: 2 })
})

it.each([
  ['raw leaves, version 1', { rawLeaves: true, cidVersion: 1 }],
  ['old leaves, version 0', { rawLeaves: false, cidVersion: 0 }],
] as const)(
  'command 18: verify walks the DAG and compares bytes, whatever tool imported it: %s',
  async (_name, options) => {
    const content = bytesOf(20_000)
    const { user, cid } = await onIpfs(content, options)
    writeFileSync(user.path('file'), content)
    expect((await user.json(['verify', 'file', cid])).document).toMatchObject({
      exitCode: 0,
      result: { answer: 'same' },
    })
    content[19_000] = (content[19_000] ?? 0) ^ 1
    writeFileSync(user.path('file'), content)
    expect((await user.json(['verify', 'file', cid])).document).toMatchObject({
      exitCode: 6,
      result: { answer: 'different' },
    })
  },
)

it('command 18: "incomplete" is an answer of its own, where not everything could be fetched', async () => {
  const content = bytesOf(20_000)
  const { user, cid, blocks } = await onIpfs(content, { car: false, rawLeaves: false })
  const [leaf = ''] = [...blocks.blocks]
    .filter(([, bytes]) => Buffer.from(bytes).includes(content.subarray(7000, 7900)))
    .map(([name]) => name)
  blocks.blocks.delete(leaf)
  writeFileSync(user.path('file'), content)
  expect((await user.json(['verify', 'file', cid])).document).toMatchObject({
    exitCode: 7,
    result: { answer: 'incomplete' },
  })
})

it('command 18: compares transactions too', async () => {
  const { user, names } = await onBitcoin()
  mkdirSync(user.path('sub'))
  writeFileSync(user.path('sub', 'same'), CONTENT)
  writeFileSync(user.path('sub', 'other'), Buffer.from(CONTENT).fill(0, 9, 10))
  expect(await user.run(['verify', 'sub/same', names])).toMatchObject({ code: 0, stdout: 'same\n' })
  expect(await user.run(['verify', 'sub/other', names])).toMatchObject({ code: 6, stdout: 'different\n' })
})

it.each([
  ['transactions', onBitcoin, () => CONTENT],
  ['a file on IPFS', () => onIpfs(bytesOf(3000)), () => bytesOf(3000)],
] as const)(
  'command 33: get of %s waits as long as a service says that is busy, and goes on',
  async (_, start, content) => {
    const given = await start()
    const name = 'names' in given ? given.names : given.cid
    const refused: number[] = []
    const asked: number[] = []
    given.api.fate = () => {
      asked.push(performance.now())
      return 'answer'
    }
    given.api.routes.unshift([
      'GET',
      /./,
      () => {
        if (refused.length > 0) return undefined
        refused.push(performance.now())
        return { status: 503, headers: { 'Retry-After': '1' }, json: { code: 'unavailable', message: 'Busy.' } }
      },
    ])
    expect((await given.user.run(['get', name])).bytes).toEqual(content())
    const [first = 0, second = 0] = asked
    // Timers of two processes: what is early is early by a whole second.
    expect(second - first).toBeGreaterThan(900)
  },
)

it('command 33: get gives up at once when it is told to come back in more than a minute, and says when', async () => {
  const { api, user, names } = await onBitcoin()
  const busy: Answer = {
    status: 503,
    headers: { 'Retry-After': '3600' },
    json: { code: 'unavailable', message: 'Busy.' },
  }
  api.routes.unshift(['GET', /./, () => busy])
  const ran = await user.json(['get', names, '-o', 'letter.txt'])
  expect(ran.document).toMatchObject({
    ok: false,
    exitCode: 7,
    error: { code: 'unavailable', message: expect.stringContaining('3600 s') },
  })
  expect(api.seen).toHaveLength(1)
})

it('get writes what turns text around in a name of a directory as its escape', async () => {
  const blocks = new TestBlocks()
  const cid = await importFiles(blocks, [{ path: 'gpj\u202etxt.exe', content: Buffer.of(1) }])
  const api = await ApiServer.start([['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)]])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  const { stdout } = await user.run(['get', cid.toString(), '-o', 'out'])
  expect(stdout).toBe(`${user.path('out')}/gpj\\u202etxt.exe: 1 byte, verified\n`)
})
