import type { Server } from 'node:http'
import { afterAll } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { serveDevnet } from '../../devnet/server.ts'
import { listen } from '../kit/loopback-server.ts'
import { describeColdPayouts } from '../node/writer/describe-cold-payouts.ts'
import { type ColdSubject, describeColdWallet } from '../node/writer/describe-cold-wallet.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function open(): Promise<ColdSubject> {
  const server = serveDevnet(createDevnet({ chains: ['Bitcoin'] }))
  servers.push(server)
  return {
    url: `http://devnet:devnet@127.0.0.1:${await listen(server)}/bitcoin`,
    watch: async (call) => {
      await call('', 'devwatchwallet', 'cold', 'signer')
    },
  }
}

describeColdWallet('the embedded node', open)
describeColdPayouts('the embedded node', open)
