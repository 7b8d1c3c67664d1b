import { OPNames } from '@scure/btc-signer/script.js'
import { toHex } from '../../protocol/bytes.ts'
import { classifyScript, scriptAddress } from '../address.ts'
import { addChecksum } from '../descriptor-checksum.ts'
import type { LedgerTransaction } from '../ledger-transaction.ts'
import type { NodeSettings } from '../node-settings.ts'
import type { Json } from './exact-json.ts'

function scriptNumberText(bytes: Uint8Array): string {
  let value = 0n
  for (const byte of bytes.toReversed()) value = value * 256n + BigInt(byte)
  const sign = 1n << BigInt(Math.max(0, bytes.length * 8 - 1))
  return bytes.length > 0 && value >= sign ? `-${value - sign}` : value.toString()
}

/** A script as Bitcoin Core's ScriptToAsmStr writes it: short pushes as numbers, others in hex. */
function scriptAssembly(script: Uint8Array): string {
  const words: string[] = []
  const view = new DataView(script.buffer, script.byteOffset, script.byteLength)
  let offset = 0
  while (offset < script.length) {
    const opcode = script[offset++] ?? 0
    if (opcode > 0x4e) {
      if (opcode === 0x4f || (opcode > 0x50 && opcode <= 0x60)) words.push(String(opcode - 0x50))
      else words.push(OPNames[opcode] ? `OP_${OPNames[opcode]}` : 'OP_UNKNOWN')
      continue
    }
    let length = opcode
    if (opcode > 0x4b) {
      const width = 1 << (opcode - 0x4c)
      if (offset + width > script.length) return [...words, '[error]'].join(' ')
      length =
        width === 1 ? view.getUint8(offset) : width === 2 ? view.getUint16(offset, true) : view.getUint32(offset, true)
      offset += width
    }
    if (offset + length > script.length) return [...words, '[error]'].join(' ')
    const data = script.subarray(offset, offset + length)
    words.push(length <= 4 ? scriptNumberText(data) : toHex(data))
    offset += length
  }
  return words.join(' ')
}

/** An output script with its decoded details. */
export function describeScript(script: Uint8Array, settings: NodeSettings): { [key: string]: Json | undefined } {
  const { type } = classifyScript(script)
  const address = scriptAddress(script, settings.address)
  const common = { asm: scriptAssembly(script), hex: toHex(script), type }
  if (settings.dialect === 'core') {
    const desc = addChecksum(address && type !== 'pubkey' ? `addr(${address})` : `raw(${toHex(script)})`)
    return { ...common, desc, address }
  }
  return { ...common, reqSigs: address ? 1 : undefined, addresses: address ? [address] : undefined }
}

/** A decoded transaction, as decoderawtransaction returns it. */
export function describeTransaction(
  transaction: LedgerTransaction,
  settings: NodeSettings,
): { [key: string]: Json | undefined } {
  const core = settings.dialect === 'core'
  return {
    txid: transaction.txid,
    hash: transaction.wtxid,
    version: transaction.version,
    size: transaction.raw.length,
    vsize: transaction.vsize,
    weight: core ? transaction.weight : undefined,
    locktime: transaction.lockTime,
    vin: transaction.inputs.map(({ txid, vout, script, sequence, witness }) => ({
      ...(transaction.coinbase
        ? { coinbase: toHex(script) }
        : { txid, vout, scriptSig: { asm: scriptAssembly(script), hex: toHex(script) } }),
      txinwitness: witness.length > 0 ? witness.map(toHex) : undefined,
      sequence,
    })),
    vout: transaction.outputs.map(({ value, script }, n) => ({
      value,
      n,
      scriptPubKey: describeScript(script, settings),
    })),
  }
}
