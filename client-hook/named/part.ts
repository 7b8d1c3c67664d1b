import type { Blockchain } from '../../protocol/chains.ts'
import { parseContentName } from '../../protocol/inscriptions/content-name.ts'
import { MAX_DECODED_BYTES } from '../../reader/brotli/decode-content.ts'
import { decodeBody } from '../../reader/inscriptions/decode-body.ts'
import { readNamed, type StoredContent } from '../../reader/inscriptions/read-named.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { NamedPart } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { NamedTransactions } from './named-transactions.ts'

export const part: NamedPart = async (tools, request, { signal, onProgress }, decoder) => {
  const { blockchain, gateways, reload } = request
  const name = parseContentName(request.sources.join().trim())
  if (!name || request.path || blockchain === 'IPFS') {
    throw tools.fail('invalid_element', 'name data-src')
  }
  try {
    const asked = { blockchain, gateways, reload, signal, onProgress }
    const transactions = new NamedTransactions(tools, asked, decoder.follow)
    const found = await readVerified(blockchain, name, transactions)
    transactions.keep()
    Object.assign(request, { sources: found.txids, any: true })
    const { body, encoding } = found
    const bytes = await decodeBody(body, encoding, MAX_DECODED_BYTES, (stored, most) =>
      decoder.decodeBrotli(stored, most),
    )
    if (bytes) return bytes
    throw new ReaderError('unsupported', `The content coding ${JSON.stringify(encoding?.slice(0, 50))} is not known.`)
  } catch (error) {
    // Errors of other scripts are of other classes.
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'not_found') throw tools.fail('no_such_inscription', error.message, error)
    throw error instanceof ReaderError ? tools.fail(error.code, error.message, error) : error
  }
}
providePart(part)

/** {@link readNamed} from the first source whose witnesses are committed to. */
async function readVerified(
  blockchain: Blockchain,
  name: NonNullable<ReturnType<typeof parseContentName>>,
  transactions: NamedTransactions,
): Promise<StoredContent> {
  for (;;) {
    try {
      return await readNamed(blockchain, name, transactions)
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_verified')) throw error
      await transactions.refuseLast(error)
    }
  }
}
