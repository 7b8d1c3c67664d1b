import { type FakeState, type FakeWebhook, nowSeconds, objectId } from './fake-state.ts'

type Answer = readonly [status: number, body?: unknown]

/** The sessions and webhooks of the account; nothing for another path. */
export function answerAccount(
  state: FakeState,
  method: string,
  path: string,
  body: Record<string, unknown>,
): Answer | undefined {
  const session = /^\/v0\/user\/sessions\/(\w+)$/.exec(path)?.[1]
  if (method === 'DELETE' && session !== undefined) {
    state.sessions = state.sessions.filter(({ jti }) => jti !== session)
    return [204]
  }
  if (path === '/v0/webhook') {
    if (method === 'GET') return [200, { webhooks: state.webhooks }]
    const { url, types } = body
    if (!String(url).startsWith('https://')) {
      return [400, { code: 'invalid_field', message: 'url must be https on a public host.' }]
    }
    const added = addWebhook(state, { url: String(url), types: Array.isArray(types) ? types.map(String) : [] })
    return [201, { ...added, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==' }]
  }
  const [, id, part] = /^\/v0\/webhook\/(\w+)(\/\w+)?$/.exec(path) ?? []
  const webhook = state.webhooks.find((each) => each.id === id)
  if (!webhook) return undefined
  if (method === 'DELETE') {
    state.webhooks = state.webhooks.filter((each) => each !== webhook)
    return [204]
  }
  if (part === '/resume') {
    webhook.pausedAt = null
    return [204]
  }
  const taken = webhook.problem === null
  return [200, { taken, problem: taken ? null : webhook.problem }]
}

export function addWebhook(state: FakeState, fields: Partial<FakeWebhook> & { url: string }): FakeWebhook {
  const webhook: FakeWebhook = {
    id: objectId(),
    types: ['item.stored', 'item.stopped'],
    createdAt: nowSeconds(),
    failingSince: null,
    problem: null,
    offAt: null,
    pausedAt: null,
    madeBy: 'login',
    key: null,
    ...fields,
  }
  state.webhooks.push(webhook)
  return webhook
}
