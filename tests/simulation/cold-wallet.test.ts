import { once } from 'node:events'
import { afterAll } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { serveDevnet } from '../../devnet/server.ts'
import { describeColdWallet } from '../node/writer/describe-cold-wallet.ts'

const devnet = createDevnet({ chains: ['Bitcoin'] })
const server = serveDevnet(devnet)
afterAll(() => {
  server.close()
  devnet.close()
})

describeColdWallet('the embedded node', async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://devnet:devnet@127.0.0.1:${address.port}/bitcoin`,
    watch: async (call) => {
      await call('', 'devwatchwallet', 'cold', 'signer')
    },
  }
})
