import { describe, expect, it } from 'vitest'
import { BLOCKCHAINS } from '../../../protocol/chains.ts'
import { EnvironmentError, readEnvironment } from '../../../scripts/start/read-environment.ts'
import { allEmbedded, workerVariables } from '../../../scripts/start/worker-variables.ts'

const services = {
  rpcUrl: (blockchain: string) => `http://node.test/${blockchain}`,
  outboxUrl: 'http://outbox.test/',
  tokenKeys: '{}',
}
const environment = readEnvironment({})

describe('the environment of npm start', () => {
  it('is ports, the time between blocks and the address, each with what it is otherwise', () => {
    expect(environment).toEqual({ port: 8787, devnetPort: 18_787, blockMs: 2000, baseUrl: 'http://127.0.0.1:8787' })
    expect(readEnvironment({ PORT: '9000', DEVNET_BLOCK_MS: '' })).toMatchObject({
      port: 9000,
      blockMs: 2000,
      baseUrl: 'http://127.0.0.1:9000',
    })
  })

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['DEVNET_PORT', 'no'],
    ['DEVNET_BLOCK_MS', '-5'],
    ['DEVNET_BLOCK_MS', '1e9'],
  ])('is refused with the name where %s is %s', (name, value) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(EnvironmentError)
    expect(() => readEnvironment({ [name]: value })).toThrow(`${name} is ${value}`)
  })
})

describe('the settings of the Worker of npm start', () => {
  it('are those of this machine, with one confirmation for embedded chains', () => {
    const variables = workerVariables(environment, services, {})
    expect(variables).toMatchObject({ BASE_URL: 'http://127.0.0.1:8787', CONSOLE_OUTBOX: 'http://outbox.test/' })
    expect(variables.CONSOLE_FAUCET).toBe('http://outbox.test/faucet')
    for (const blockchain of BLOCKCHAINS) {
      expect(variables[`RPC_${blockchain.toUpperCase()}`]).toBe(`http://node.test/${blockchain}`)
      expect(variables[`CONFIRMATIONS_${blockchain.toUpperCase()}`]).toBe('1')
    }
  })

  it('give way to the environment, and a real node has its own confirmations', () => {
    const env = { RPC_BITCOIN: 'http://real.test/', MAIL_URL: 'https://mail.test/' }
    const variables = workerVariables(environment, services, env)
    expect(variables.RPC_BITCOIN).toBe('http://real.test/')
    expect(variables.CONFIRMATIONS_BITCOIN).toBeUndefined()
    expect(variables.CONSOLE_OUTBOX).toBeUndefined()
    expect(variables.CONSOLE_FAUCET).toBeUndefined()
    expect([allEmbedded({}), allEmbedded(env)]).toEqual([true, false])
  })
})
