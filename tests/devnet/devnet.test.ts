import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { connect, unspent } from '../kit/call-devnet.ts'
import { at, call, list, number, post, text } from '../kit/rpc-client.ts'

let running: RunningDevnet | undefined

afterEach(async () => {
  await running?.close()
  running = undefined
  vi.useRealTimers()
})

async function start(blockMs = 0): Promise<RunningDevnet> {
  running = await startDevnet({ port: 0, blockMs })
  return running
}

describe('the embedded chains', () => {
  it('answer under their name, capitals or not, and no other path', async () => {
    const { port } = await start()
    const address = (path: string) => ({ url: `http://127.0.0.1:${port}/${path}`, user: 'devnet', password: 'devnet' })
    for (const blockchain of BLOCKCHAINS) {
      const height = await call(address(blockchain), 'getblockcount')
      expect(await call(address(`${blockchain.toLowerCase()}/`), 'getblockcount')).toBe(height)
    }
    expect((await post(address('Litecoin'), '{}')).status).toBe(404)
    expect((await post(address('Bitcoin/else'), '{}')).status).toBe(404)
  })

  it('share no block and no transaction', () => {
    const devnet = createDevnet()
    const firsts = BLOCKCHAINS.map((blockchain) => devnet.node(blockchain).chain.active.slice(0, 3))
    const hashes = firsts.flat().map(({ hash }) => hash)
    const txids = firsts.flat().flatMap(({ transactions }) => transactions.map(({ txid }) => txid))
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(new Set(txids).size).toBe(txids.length)
  })

  it.each([...BLOCKCHAINS])('start %s with mature coins for the faucet and for the service', (blockchain) => {
    const devnet = createDevnet({ chains: [blockchain] })
    expect(unspent(connect(devnet, blockchain))).toHaveLength(20)
    expect(unspent(connect(devnet, blockchain, 'faucet'))).toHaveLength(500)
  })

  it('pay from the faucet, so that a payment is none of the service to itself', () => {
    const devnet = createDevnet({ chains: ['Bitcoin'] })
    const rpc = connect(devnet, 'Bitcoin')
    const before = number(rpc('getbalance'))
    const address = text(rpc('getnewaddress'))
    const txid = text(rpc('sendtoaddress', address, 1.25))
    rpc('generatetoaddress', 1, text(connect(devnet, 'Bitcoin', 'faucet')('getnewaddress')))
    expect(number(rpc('getbalance'))).toBeCloseTo(before + 1.25, 8)
    const entries = list(at(rpc('gettransaction', txid))('details')).map((entry) => at(entry)('category'))
    expect(entries).toEqual(['receive'])
  })

  it('pay thousands of times between two blocks', () => {
    const rpc = connect(createDevnet({ chains: ['Bitcoin'] }), 'Bitcoin')
    const address = text(rpc('getnewaddress'))
    for (let i = 0; i < 1_000; i++) rpc('sendtoaddress', address, 0.001)
    expect(at(rpc('getmempoolinfo'))('size')).toBe(1_000)
  })

  it('mine by themselves while something waits, and only then', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { devnet } = await start(20)
    const rpc = connect(devnet, 'Bitcoin')
    const height = rpc('getblockcount')
    const txid = text(rpc('sendtoaddress', text(rpc('getnewaddress')), 1))
    vi.advanceTimersByTime(19)
    expect(at(rpc('getrawtransaction', txid, 1))('confirmations')).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(at(rpc('getrawtransaction', txid, 1))('confirmations')).toBe(1)
    vi.advanceTimersByTime(200)
    expect(rpc('getblockcount')).toBe(number(height) + 1)
  })

  it('speak JSON-RPC 2.0 to who asks for it, as Bitcoin Core does from 28 on', () => {
    const devnet = createDevnet({ chains: ['Bitcoin'] })
    const ask = (request: unknown) => devnet.handle('Bitcoin', JSON.stringify(request))
    const failed = ask({ jsonrpc: '2.0', id: 1, method: 'nosuch' })
    expect([failed.status, JSON.parse(failed.body)]).toEqual([
      200,
      { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 1 },
    ])
    expect(ask({ jsonrpc: '2.0', method: 'getblockcount' })).toEqual({ status: 204, body: '' })
    expect(JSON.parse(ask({ jsonrpc: '2.0', id: 1, method: 'getblockcount' }).body)).toEqual({
      jsonrpc: '2.0',
      result: 101,
      id: 1,
    })
  })

  it('give the same answers for the same seed and clock', () => {
    const run = (seed: string) => {
      const rpc = connect(createDevnet({ chains: ['Bitcoin'], seed, now: () => 1_800_000_000_000 }), 'Bitcoin')
      const address = text(rpc('getnewaddress'))
      return [address, rpc('sendtoaddress', address, 1), rpc('generatetoaddress', 2, address)]
    }
    expect(run('one')).toEqual(run('one'))
    expect(run('one')).not.toEqual(run('two'))
  })
})

describe('the outbox', () => {
  const mail = { from: 'a@example.org', to: 'b@example.org', subject: 'Hello', text: 'Hi', html: '<p>Hi</p>' }
  const send = (url: string, body: string, authorization = 'Bearer token') =>
    fetch(url, { method: 'POST', headers: { Authorization: authorization, 'Content-Type': 'application/json' }, body })

  it('keeps the mails that are posted to it, newest last', async () => {
    const { outboxUrl } = await start()
    expect((await send(outboxUrl, JSON.stringify(mail))).status).toBe(202)
    expect((await send(outboxUrl, JSON.stringify({ ...mail, subject: 'Again' }))).status).toBe(202)
    const kept = list(await (await fetch(outboxUrl)).json())
    expect(kept).toMatchObject([mail, { ...mail, subject: 'Again' }])
  })

  it('shows mails to a browser as text, newest first, with their links', async () => {
    const { outboxUrl } = await start()
    const text = 'Confirm at http://127.0.0.1:8787/v0/user/verify?token=a&b=c\n<script>1</script>'
    await send(outboxUrl, JSON.stringify(mail))
    await send(outboxUrl, JSON.stringify({ ...mail, subject: 'Again', text }))
    const page = await fetch(outboxUrl, { headers: { Accept: 'text/html,*/*;q=0.8' } })
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    const html = await page.text()
    expect(html.indexOf('Again')).toBeLessThan(html.indexOf('Hello'))
    expect(html).toContain('<a href="http://127.0.0.1:8787/v0/user/verify?token=a&#38;b=c"')
    expect(html).not.toContain('<script>')
  })

  it('refuses what is no mail, and who brings no token', async () => {
    const { outboxUrl } = await start()
    expect((await send(outboxUrl, '{')).status).toBe(400)
    expect((await send(outboxUrl, JSON.stringify({ ...mail, to: '' }))).status).toBe(400)
    expect((await send(outboxUrl, JSON.stringify(mail), 'Basic x')).status).toBe(401)
    expect(await (await fetch(outboxUrl)).json()).toEqual([])
  })
})
