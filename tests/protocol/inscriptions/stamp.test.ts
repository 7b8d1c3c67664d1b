import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { input, transactionOf } from '../../../devnet/others/write-inscription.ts'
import { writeMultisig, writeOlga } from '../../../devnet/others/write-stamp-outputs.ts'
import { concatBytes, fromHex } from '../../../protocol/bytes.ts'
import { readStamp } from '../../../protocol/inscriptions/stamp.ts'

const hex = (text: string) => fromHex(text) ?? new Uint8Array(0)
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)
const payment = Uint8Array.of(0x51)

describe('a stamp in P2WSH programs', () => {
  const stamp = (data: string | Uint8Array) =>
    readStamp(transactionOf([input({ txid: '00'.repeat(32), vout: 0 })], [payment, ...writeOlga(data), payment]))

  it('is what stands behind "stamp:"', () => {
    const found = stamp('stamp:{"p":"src-20","op":"mint","tick":"STEVE","amt":"1"}')
    expect(found).toMatchObject({ encoding: 'olga', isMarked: true })
    expect(text(found?.data)).toBe('{"p":"src-20","op":"mint","tick":"STEVE","amt":"1"}')
  })

  it('is decoded where base64 stands behind it', () => {
    expect(text(stamp(`stamp:${btoa('a picture')}`)?.data)).toBe('a picture')
  })

  it('is all of it without that, unmarked', () => {
    const found = stamp(Uint8Array.of(0x89, 0x50, 0x4e, 0x47))
    expect(found).toEqual({ encoding: 'olga', isMarked: false, data: Uint8Array.of(0x89, 0x50, 0x4e, 0x47) })
  })
})

describe('a stamp in keys of multisig outputs', () => {
  // The example of the SRC-20 specification (stampchain, docs/src20.md): transaction 50aeb772…6ae1.
  const keys = [
    '03c46b73fe2ff939bea5d0a577950dc8876e863bed11c887d681417dfd70533e51',
    '039036c8182c70770f8f6bd702a25c7179bfff1ccb3a844297a717226b88b976cc',
    '02dc054e58b755f233295d2a8759a3e4cbf678619d8e75379e7989046dbce16be3',
    '02932b35a45d21395ac8bb54b8f9dae3fd2dbc309c24e550cf2211fe6aa897e5ca',
  ]
  const burned = '020202020202020202020202020202020202020202020202020202020202020202'
  const multisig = (first = '', second = '') => hex(`5121${first}21${second}21${burned}53ae`)
  const spent = '6005ee8cc02e528e20c8e5ff71191723b0260391020862a03587a985f813dabe'

  it('is decrypted with the txid of input 0', () => {
    const outputs = [payment, multisig(keys[0], keys[1]), multisig(keys[2], keys[3])]
    const found = readStamp(transactionOf([input({ txid: spent, vout: 1 })], outputs))
    expect(found).toMatchObject({ encoding: 'multisig', isMarked: true })
    expect(text(found?.data)).toBe('{"p":"src-20","op":"transfer","tick":"STEVE","amt":"100000000"}')
    expect(readStamp(transactionOf([input({ txid: '00'.repeat(32), vout: 1 })], outputs))).toBe(undefined)
  })

  it('is what our own writer wrote', () => {
    const outputs = [payment, ...writeMultisig(`stamp:${btoa('a picture in more than one output'.repeat(3))}`, spent)]
    const found = readStamp(transactionOf([input({ txid: spent, vout: 1 })], outputs))
    expect(text(found?.data)).toBe('a picture in more than one output'.repeat(3))
  })
})

it('no script makes reading a stamp fail', () => {
  const script = fc.uint8Array({ maxLength: 120 })
  fc.assert(
    fc.property(fc.array(script), fc.boolean(), (scripts, wrapped) => {
      const outputs = wrapped ? scripts.map((bytes) => concatBytes([hex('0020'), bytes])) : scripts
      readStamp(transactionOf([input({ txid: 'ab'.repeat(32), vout: 0 })], outputs))
    }),
  )
})
