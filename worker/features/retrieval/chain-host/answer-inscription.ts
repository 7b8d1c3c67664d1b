import type { Context } from 'hono'
import { toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { writeContentName } from '../../../../protocol/inscriptions/content-name.ts'
import { readEnvelopes } from '../../../../protocol/inscriptions/envelopes.ts'
import { readInscription } from '../../../../protocol/inscriptions/inscription.ts'
import type { InscriptionId } from '../../../../protocol/inscriptions/inscription-id.ts'
import { readOwn } from '../../../../reader/inscriptions/read-named.ts'
import { readPlaceOf } from '../../../chain/rpc/read-place.ts'
import { denylist, refuseDenied } from '../../../content/denylist/denylist.ts'
import { notFound, orAnswer, parseName, sourceOf } from '../../../content/inscriptions/find-named.ts'
import { followerOf } from '../../../content/inscriptions/follow/ask-follower.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { addressOf, limitRequest } from '../../../platform/http/limit-requests.ts'
import { IMMUTABLE, NO_STORE } from '../../../platform/http/policies.ts'

/** The block of an inscription can be replaced by another one. */
const A_MINUTE = 'public, max-age=60'

/** GET /r/inscription/<id>: what an inscription says of itself, verified, and where it was mined. */
export async function answerInscription(c: Context<AppEnv>, blockchain: Blockchain, text: string): Promise<Response> {
  const id = await parseId(c, blockchain, text)
  const follower = followerOf(c.env, blockchain, addressOf(c))
  const source = sourceOf(c.env, blockchain, follower)
  const own = await orAnswer(() => readOwn(blockchain, id, source), follower, [id.txid])
  refuseDenied(await denylist(c.env, c.executionCtx), { txids: own.txids })
  const place = await readPlaceOf(c.get('config').chains[blockchain].rpc, id.txid)
  const described = {
    id: writeContentName({ kind: 'inscription', id }),
    content_type: own.type ?? null,
    content_length: own.body?.length ?? null,
    delegate: own.delegate ? writeContentName({ kind: 'inscription', id: own.delegate }) : null,
    height: place?.height ?? null,
    timestamp: place?.time ?? null,
  }
  return c.json(described, 200, { 'Cache-Control': place ? A_MINUTE : NO_STORE })
}

/** GET /r/metadata/<id>: the CBOR of an inscription's metadata as JSON text in hex, as ord has it. */
export async function answerMetadata(c: Context<AppEnv>, blockchain: Blockchain, text: string): Promise<Response> {
  const id = await parseId(c, blockchain, text)
  const follower = followerOf(c.env, blockchain, addressOf(c))
  const source = sourceOf(c.env, blockchain)
  // The transaction that was verified is the one that is read.
  const whole = await source.read([id.txid], { witness: true })
  const read: typeof source.read = async (txids, needs) => (needs.witness ? whole : await source.read(txids, needs))
  await orAnswer(() => readOwn(blockchain, id, { ...source, read }), follower, [id.txid])
  const [transaction] = whole
  const envelope = blockchain === 'Dogecoin' || !transaction ? undefined : readEnvelopes(transaction)[id.index]
  const metadata = envelope && readInscription(envelope).metadata
  if (!metadata) throw notFound('The inscription has no metadata.')
  return c.json(toHex(metadata), 200, { 'Cache-Control': IMMUTABLE })
}

async function parseId(c: Context<AppEnv>, blockchain: Blockchain, text: string): Promise<InscriptionId> {
  const denied = await denylist(c.env, c.executionCtx)
  await limitRequest(c, 'read')
  const name = parseName(c.env, blockchain, text)
  if (name.kind !== 'inscription') throw notFound('Only inscriptions are described here: <txid>i<n>.')
  refuseDenied(denied, { txids: [name.id.txid] })
  return name.id
}
