import type { Context } from 'hono'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { readTip } from '../../../chain/rpc/read-place.ts'
import { answerNamed } from '../../../content/inscriptions/answer-named.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, noSuchPath } from '../../../platform/http/errors.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { answerInscription, answerMetadata } from './answer-inscription.ts'

/** Another block may be there in a few seconds. */
const A_MOMENT = { 'Cache-Control': 'public, max-age=10' }

/**
 * A path of `<chain>.<storage host>`, as ord's server has them (its `server.rs`): `/content/<id>`, `/r/…`, and the older
 * `/blockheight`, `/blockhash[/<height>]`, `/blocktime`.
 * @throws {AppError} 404 `needs_index` for what only an index of all inscriptions knows; as `answerNamed`; 502, 503, 504
 */
export async function answerChainPath(c: Context<AppEnv>, blockchain: Blockchain, path: string): Promise<Response> {
  const [, name = '', id = '', more] =
    /^\/(content|blockheight|blockhash|blocktime|r\/[^/]+)(?:\/([^/]+))?(\/.*)?$/.exec(path) ?? []
  if (name === '' || more !== undefined) throw name.startsWith('r/') ? needsIndex() : noSuchPath()
  const text = safeDecode(id)
  switch (name) {
    case 'content':
      return await answerNamed(c, blockchain, text)
    case 'r/undelegated-content':
      return await answerNamed(c, blockchain, text, { isOwn: true })
    case 'r/inscription':
      return await answerInscription(c, blockchain, text)
    case 'r/metadata':
      return await answerMetadata(c, blockchain, text)
    case 'blockhash':
    case 'r/blockhash': {
      const { hash } = await tipOf(c, blockchain, id === '' ? undefined : id)
      return name === 'blockhash' ? c.text(hash, 200, A_MOMENT) : c.json(hash, 200, A_MOMENT)
    }
  }
  if (id !== '') throw name.startsWith('r/') ? needsIndex() : noSuchPath()
  switch (name) {
    case 'blockheight':
    case 'r/blockheight':
      return c.text(String((await tipOf(c, blockchain)).height), 200, A_MOMENT)
    case 'blocktime':
    case 'r/blocktime':
      return c.text(String((await tipOf(c, blockchain)).time), 200, A_MOMENT)
    default:
      throw name.startsWith('r/') ? needsIndex() : noSuchPath()
  }
}

async function tipOf(c: Context<AppEnv>, blockchain: Blockchain, height?: string) {
  await limitRequest(c, 'read')
  const config = c.get('config')
  if (!config.inscriptions.includes(blockchain)) throw noSuchPath()
  if (height !== undefined && !/^(?:0|[1-9]\d{0,8})$/.test(height)) throw noSuchPath()
  return await readTip(config.chains[blockchain].rpc, height === undefined ? undefined : Number(height))
}

function needsIndex(): AppError {
  return new AppError(404, 'needs_index', 'Only an index of all inscriptions knows this, and this service has none.')
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
