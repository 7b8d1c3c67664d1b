import { addressScript } from '../address.ts'
import { JsonNumber } from './exact-json.ts'
import { type Methods, method } from './method.ts'
import { RPC, RpcError } from './rpc-error.ts'

const MAX_BLOCKS = 10_000

/** RPC methods about the node, fees, and mining on demand. */
export const controlMethods: Methods = {
  getnetworkinfo: method('', ({ node: { settings } }) => {
    const core = settings.dialect === 'core'
    return {
      version: settings.version,
      subversion: settings.subversion,
      protocolversion: core ? 70016 : 70015,
      localservices: core ? '0000000000000c09' : '0000000000000005',
      localservicesnames: core ? ['NETWORK', 'WITNESS', 'NETWORK_LIMITED', 'P2P_V2'] : undefined,
      localrelay: true,
      timeoffset: 0,
      networkactive: true,
      connections: 0,
      connections_in: core ? 0 : undefined,
      connections_out: core ? 0 : undefined,
      networks: [],
      relayfee: settings.relayFeeRate,
      incrementalfee: settings.incrementalFeeRate,
      softdustlimit: settings.dust?.soft,
      harddustlimit: settings.dust?.hard,
      localaddresses: [],
      warnings: core ? [] : '',
    }
  }),
  getconnectioncount: method('', () => 0),
  uptime: method('', ({ node }) => Math.max(0, node.time - node.startedAt)),
  ping: method('', () => null),
  estimatesmartfee: method('conf_target estimate_mode?', ({ node }, params) => {
    const blocks = params.integer(0)
    if (blocks < 1 || blocks > 1008) {
      throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid conf_target, must be between 1 and 1008')
    }
    if (node.feeEstimate !== 'none') return { feerate: node.walletFeeRate, blocks }
    if (node.settings.dialect === 'dogecoin') return { feerate: new JsonNumber('-1'), blocks }
    return { errors: ['Insufficient data or no feerate found'], blocks: 2 }
  }),
  generatetoaddress: method('nblocks address maxtries?', ({ node }, params) => {
    const count = params.integer(0)
    const script = addressScript(params.text(1), node.settings.address)
    if (!script) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Error: Invalid address')
    if (count > MAX_BLOCKS) throw new RpcError(RPC.INVALID_PARAMETER, `At most ${MAX_BLOCKS} blocks at a time here`)
    return Array.from({ length: Math.max(0, count) }, () => node.mine(script).hash)
  }),
  getindexinfo: method('index_name?', ({ node }) => ({
    txindex: { synced: true, best_block_height: node.chain.height },
  })),
  getrpcinfo: method('', () => ({ active_commands: [], logpath: '' })),
  stop: method('', () => 'The embedded node stops with the process that runs it'),
}
