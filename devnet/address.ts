import { bech32, bech32m, createBase58check } from '@scure/base'
import { concatBytes } from '../protocol/bytes.ts'
import { sha256 } from './hash.ts'
import type { NodeSettings } from './node-settings.ts'

/** The kinds of output script that nodes relay, by Bitcoin Core's names. */
export type ScriptType =
  | 'pubkey'
  | 'pubkeyhash'
  | 'scripthash'
  | 'witness_v0_keyhash'
  | 'witness_v0_scripthash'
  | 'witness_v1_taproot'
  | 'nulldata'
  | 'multisig'
  | 'nonstandard'

type Prefixes = NodeSettings['address']

const base58check = createBase58check(sha256)

function startsWith(script: Uint8Array, ...bytes: number[]): boolean {
  return bytes.every((byte, i) => script[i] === byte)
}

/** The kind of an output script, and its hash or program if it has one. */
export function classifyScript(script: Uint8Array): { type: ScriptType; program?: Uint8Array } {
  const length = script.length
  if (length === 25 && startsWith(script, 0x76, 0xa9, 0x14) && script[23] === 0x88 && script[24] === 0xac) {
    return { type: 'pubkeyhash', program: script.subarray(3, 23) }
  }
  if (length === 22 && startsWith(script, 0x00, 0x14))
    return { type: 'witness_v0_keyhash', program: script.subarray(2) }
  if (length === 34 && startsWith(script, 0x00, 0x20)) {
    return { type: 'witness_v0_scripthash', program: script.subarray(2) }
  }
  if (length === 34 && startsWith(script, 0x51, 0x20))
    return { type: 'witness_v1_taproot', program: script.subarray(2) }
  if (length === 23 && startsWith(script, 0xa9, 0x14) && script[22] === 0x87) {
    return { type: 'scripthash', program: script.subarray(2, 22) }
  }
  if ((length === 35 || length === 67) && script[0] === length - 2 && script[length - 1] === 0xac) {
    return { type: 'pubkey' }
  }
  if (script[0] === 0x6a && isPushOnly(script.subarray(1))) return { type: 'nulldata' }
  if (script[length - 1] === 0xae && (script[0] ?? 0) > 0x50 && (script[0] ?? 0) <= 0x60) return { type: 'multisig' }
  return { type: 'nonstandard' }
}

/** Bitcoin Core's IsPushOnly: nothing above OP_16, no push cut short. */
export function isPushOnly(script: Uint8Array): boolean {
  let offset = 0
  while (offset < script.length) {
    const opcode = script[offset++] ?? 0
    if (opcode > 0x60) return false
    if (opcode > 0x4e) continue
    let length = opcode
    if (opcode > 0x4b) {
      const width = 1 << (opcode - 0x4c)
      if (offset + width > script.length) return false
      length = 0
      for (let i = width - 1; i >= 0; i--) length = length * 256 + (script[offset + i] ?? 0)
      offset += width
    }
    offset += length
  }
  return offset === script.length
}

export function payToPubKeyHash(hash: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(0x76, 0xa9, 0x14), hash, Uint8Array.of(0x88, 0xac)])
}

export function payToWitnessPubKeyHash(hash: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(0x00, 0x14), hash])
}

const addresses = new WeakMap<Prefixes, WeakMap<Uint8Array, string | undefined>>()

/** The address of an output script, if its kind has one; encoded once, for a wallet's history is listed again and again. */
export function scriptAddress(script: Uint8Array, prefixes: Prefixes): string | undefined {
  const known = addresses.get(prefixes) ?? new WeakMap<Uint8Array, string | undefined>()
  addresses.set(prefixes, known)
  if (!known.has(script)) known.set(script, encodeScript(script, prefixes))
  return known.get(script)
}

function encodeScript(script: Uint8Array, prefixes: Prefixes): string | undefined {
  const { type, program } = classifyScript(script)
  if (!program) return undefined
  if (type === 'pubkeyhash') return base58check.encode(concatBytes([Uint8Array.of(prefixes.pubKeyHash), program]))
  if (type === 'scripthash') return base58check.encode(concatBytes([Uint8Array.of(prefixes.scriptHash), program]))
  if (!prefixes.hrp) return undefined
  const version = type === 'witness_v1_taproot' ? 1 : 0
  const codec = version === 0 ? bech32 : bech32m
  return codec.encode(prefixes.hrp, [version, ...codec.toWords(program)])
}

/** The output script of an address; `undefined` if it is no address of this chain. */
export function addressScript(address: string, prefixes: Prefixes): Uint8Array | undefined {
  // No base-58 address begins like this: bech32's separator is the last `1`, and the prefix before it is no version
  // byte.
  const segwit = prefixes.hrp && address.toLowerCase().startsWith(`${prefixes.hrp}1`)
  const script = segwit && prefixes.hrp ? segwitScript(address, prefixes.hrp) : undefined
  return script ?? base58Script(address, prefixes)
}

function base58Script(address: string, prefixes: Prefixes): Uint8Array | undefined {
  try {
    const payload = base58check.decode(address)
    if (payload.length !== 21) return undefined
    if (payload[0] === prefixes.pubKeyHash) return payToPubKeyHash(payload.subarray(1))
    if (payload[0] === prefixes.scriptHash) {
      return concatBytes([Uint8Array.of(0xa9, 0x14), payload.subarray(1), Uint8Array.of(0x87)])
    }
    return undefined
  } catch {
    return undefined
  }
}

function segwitScript(address: string, hrp: string): Uint8Array | undefined {
  for (const codec of [bech32, bech32m]) {
    const decoded = codec.decodeUnsafe(address)
    if (!decoded || decoded.prefix !== hrp) continue
    const [version = -1, ...words] = decoded.words
    const program = codec.fromWordsUnsafe(words)
    if (!program || (version === 0) !== (codec === bech32)) return undefined
    if (version === 0 ? program.length !== 20 && program.length !== 32 : version !== 1 || program.length !== 32) {
      return undefined
    }
    return concatBytes([Uint8Array.of(version === 0 ? 0 : 0x50 + version, program.length), program])
  }
  return undefined
}
