import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentCommands, operatePages } from '../kit/document-commands.ts'
import { call, list, text } from '../kit/rpc-client.ts'
import { type Daemon, startLitecoind } from './litecoind.ts'

/** Of the 1.14 family alone, which this daemon is not of. */
const OF_DOGECOIN = ['getaddressesbyaccount']

let daemon: Daemon
beforeAll(async () => {
  daemon = await startLitecoind()
})
afterAll(() => daemon?.stop())

const ask = (method: string, ...params: unknown[]) => call(daemon.node, method, params)
/** Of the wallet that has money. */
const askRich = (method: string, ...params: unknown[]) =>
  call({ ...daemon.node, url: `${daemon.node.url}wallet/` }, method, params)
const askHot = (method: string, ...params: unknown[]) =>
  call({ ...daemon.node, url: `${daemon.node.url}wallet/hot` }, method, params)

describe('the calls of a node in the pages for operators', () => {
  it('are calls that a node has', async () => {
    const has = text(await ask('help'))
      .split('\n')
      .map((line) => line.split(' ')[0])
    const named = [...operatePages().values()].flatMap((page) =>
      [...page.matchAll(/`((?:abandon|backup|get|keypool|list|remove|rescan|send[mrt])[a-z]+)(?: [^`]*)?`/g)].map(
        ([, name = '']) => name,
      ),
    )
    expect(new Set(named).size).toBeGreaterThan(12)
    expect(named.filter((name) => !has.includes(name) && !OF_DOGECOIN.includes(name))).toEqual([])
  })

  it('make and fund a wallet of 32 coins, in the order and with the amounts of the page', async () => {
    const commands = documentCommands().filter(
      ({ page, command }) => page === 'nodes.md' && command.includes('bitcoin-cli'),
    )
    expect(commands).toHaveLength(4)
    const recipe = commands.map(({ command }) => command).join('\n')
    const [, coins = '', amount = ''] = /seq (\d+)[\s\S]*"&":([\d.]+)/.exec(recipe) ?? []
    const [, name = ''] = /createwallet (\w+)/.exec(recipe) ?? []
    await ask('createwallet', name)
    await askRich('sendtoaddress', await askHot('getnewaddress'), 1)
    await askRich('generatetoaddress', 1, await askRich('getnewaddress'))
    const addresses: unknown[] = []
    while (addresses.length < Number(coins)) addresses.push(await askHot('getnewaddress'))
    await askHot('sendmany', '', Object.fromEntries(addresses.map((address) => [text(address), amount])))
    await askRich('generatetoaddress', 1, await askRich('getnewaddress'))
    // The one that is left of what was sent is the change.
    expect(list(await askHot('listunspent'))).toHaveLength(33)
  })

  it('copy a wallet, search the chain for it again, and list what left it', async () => {
    await askHot('rescanblockchain')
    await askHot('keypoolrefill')
    expect(list(await askHot('listtransactions', '*', 100)).length).toBeGreaterThan(30)
    expect(list(await askHot('listreceivedbyaddress'))).toHaveLength(33)
  })
})
