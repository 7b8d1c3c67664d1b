// Runs in every runtime against the packed package: nothing of any one runtime in it.
import { createClient, readChainContent, readIpfs, verifyTransaction } from 'hookline'
import { setApi } from 'hookline/element'
import { hook } from 'hookline/hook'

/** What the package does here, as JSON; `facts` is what the server at `api` holds. */
export async function runSuite(api, facts) {
  const { txids, cid, key } = facts
  const raw = await fetch(`${api}/v0/tx/Bitcoin/${txids[0]}`).then(
    async (answer) => new Uint8Array(await answer.arrayBuffer()),
  )
  const changed = raw.map((byte, index) => (index === raw.length - 20 ? byte ^ 1 : byte))
  const client = createClient({ api, key })
  const stored = await client.put(
    { path: 'note.txt', content: new Blob(['stored by every runtime']) },
    { to: 'Bitcoin' },
  )
  // Another client knows only what the first one kept.
  const again = await createClient({ api, key }).put(
    { path: 'note.txt', content: 'stored by every runtime' },
    { to: 'Bitcoin' },
  )
  const file = await readIpfs(cid, { api })
  let pieces = 0
  for await (const piece of file) pieces += piece.length
  setApi(api)
  return {
    verified: (await verifyTransaction(raw, txids[0])).data.length,
    refused: await verifyTransaction(changed, txids[0]).catch(({ code }) => code),
    text: new TextDecoder().decode(await readChainContent({ blockchain: 'Bitcoin', txids }, { api })),
    pieces,
    got: await (await client.get({ blockchain: 'IPFS', cid })).text(),
    missing: await client.get({ blockchain: 'Bitcoin', txids: ['00'.repeat(32)] }).catch(({ code }) => code),
    status: stored.items[0].status,
    amount: stored.payments[0].amount,
    hook: typeof hook,
    remembered: again.ids[0] === stored.ids[0],
  }
}
