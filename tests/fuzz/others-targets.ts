import { beginDoginal, continueDoginal, joinParts } from '../../protocol/inscriptions/doginal.ts'
import { readEnvelopes } from '../../protocol/inscriptions/envelopes.ts'
import { readContent, readInscription } from '../../protocol/inscriptions/inscription.ts'
import { readStamp } from '../../protocol/inscriptions/stamp.ts'
import { typeOfBytes } from '../../protocol/inscriptions/type-of-bytes.ts'
import { readTransaction } from '../../protocol/transaction.ts'
import { type FuzzTarget, require } from './target.ts'

const CONTROL_BLOCK = Uint8Array.from({ length: 33 }, (_, index) => (index === 0 ? 0xc0 : index))

/** A leaf script has envelopes one behind the other, and each says no more than it has. */
function readLeafScript(script: Uint8Array): void {
  const spent = { txid: '00'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0 }
  const envelopes = readEnvelopes({ inputs: [{ ...spent, witness: [script, CONTROL_BLOCK] }] })
  let before = 0
  for (const envelope of envelopes) {
    require(envelope.start >= before && envelope.end >= envelope.start, 'envelopes do not overlap')
    require(envelope.end < script.length, 'an envelope ends within its script')
    before = envelope.end
    const { body, metadata, type, encoding, delegate } = readInscription(envelope)
    const held = (body?.length ?? 0) + (metadata?.length ?? 0)
    require(held <= envelope.end - envelope.start, 'an envelope says no more than it has')
    const shown = readContent(envelope)
    require(shown.type === type &&
      shown.encoding === encoding &&
      shown.body?.length === body?.length, 'what is shown is what is described')
    require(delegate?.txid === shown.delegate?.txid, 'both read one delegate')
    typeOfBytes(body ?? script)
  }
}

function readScriptSig(script: Uint8Array): void {
  const begun = beginDoginal(script)
  if (!begun) return
  require(joinParts(begun).length <= script.length, 'a doginal has no more bytes than its transactions')
  const continued = continueDoginal(begun, script)
  require(!continued || continued.missing < begun.missing, 'what continues a doginal has parts that were missing')
}

function readOutputs(input: Uint8Array): void {
  const { transaction } = readTransaction(input)
  const stamp = readStamp(transaction)
  if (!stamp) return
  require(stamp.data.length <= input.length, 'a stamp has no more bytes than its transaction')
  typeOfBytes(stamp.data)
}

export const OTHERS_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'inscription',
    run: readLeafScript,
    words: ['\u0000c\u0003ord', 'h', '\u0001\u0001', '\u0001\u000b', '\u0000'],
  },
  { name: 'doginal', run: readScriptSig, words: ['\u0003ord', 'Q', '\u0000', '\u0001\u0001', '[ '] },
  { name: 'stamp', run: readOutputs, words: ['stamp:', '\u0000 ', 'CNTRPRTY', 'Q!', 'S\u00ae'] },
]
