import { afterEach, describe, expect, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { connect } from '../kit/call-devnet.ts'

let running: RunningDevnet | undefined

afterEach(async () => {
  await running?.close()
  running = undefined
})

async function open() {
  running = await startDevnet({ port: 0, blockMs: 0 })
  return { devnet: running.devnet, url: `http://127.0.0.1:${running.port}/faucet` }
}

const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers })

describe('the faucet', () => {
  it('fills its form by the address, as text, and pays nothing until it is pressed', async () => {
    const { url, devnet } = await open()
    const page = await fetch(`${url}?blockchain=Bitcoin&address=%22%3E%3Cscript%3E&amount=0.5`)
    expect(page.status).toBe(200)
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    const text = await page.text()
    expect(text).toContain('value="0.5"')
    expect(text).not.toContain('<script>')
    expect(devnet.node('Bitcoin').mempool.entries.size).toBe(0)
  })

  it('offers the embedded chains in a list, the one of the address chosen', async () => {
    const { url } = await open()
    const text = await (await fetch(`${url}?blockchain=Dogecoin`)).text()
    const [, options = ''] = /<select name="blockchain">(.*?)<\/select>/.exec(text) ?? []
    expect(options.replaceAll('</option>', '').split('<option').slice(1)).toEqual(
      expect.arrayContaining(['>Bitcoin', ' selected>Dogecoin', '>Nativecoin']),
    )
  })

  it('pays the address with one press', async () => {
    const { url, devnet } = await open()
    const node = connect(devnet, 'Nativecoin')
    const address = String(await node('getnewaddress'))
    const page = await post(url, { blockchain: 'Nativecoin', address, amount: '0.06284110' })
    expect(page.status).toBe(200)
    const [, txid = ''] = /<code>([0-9a-f]{64})<\/code>/.exec(await page.text()) ?? []
    expect(devnet.node('Nativecoin').mempool.entries.has(txid)).toBe(true)
  })

  it('pays for a page of this machine, which reads the answer, and for no other', async () => {
    const { url, devnet } = await open()
    const address = String(await connect(devnet, 'Nativecoin')('getnewaddress'))
    const fields = { blockchain: 'Nativecoin', address, amount: '0.01' }
    const from = (Origin: string) => post(url, fields, { 'Sec-Fetch-Site': 'cross-site', Origin })
    for (const origin of ['https://localhost.example', 'http://localhost.example', 'null'])
      expect((await from(origin)).status).toBe(403)
    const answer = await from('http://localhost:8787')
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([200, 'http://localhost:8787'])
    expect(devnet.node('Nativecoin').mempool.entries.size).toBe(1)
  })

  it('says why it did not pay, and pays no page of another site', async () => {
    const { url, devnet } = await open()
    const good = { blockchain: 'Dogecoin', address: 'x', amount: '1' }
    for (const fields of [good, { ...good, blockchain: 'Litecoin' }, { ...good, amount: '-1' }]) {
      const page = await post(url, fields)
      expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('Nothing was paid.')])
    }
    expect((await post(url, good, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect(devnet.node('Dogecoin').mempool.entries.size).toBe(0)
  })
})
